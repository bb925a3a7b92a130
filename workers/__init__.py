"""What happens without a request: the timekeeper, and the jobs of the RQ workers.

Like the API they are a face of `menagerie.play`, and take no path of their own.
"""
