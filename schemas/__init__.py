"""The wire shapes, and nothing else: marshmallow schemas of what goes in and comes out.

Requests are loaded through these; answers are built from views and documented
by them, and the tests hold every answer to its schema in openapi.yaml.
"""
