"""The service and, beside it on the same server, a bare Flask hello to measure it by."""

from flask import Flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from api import create_app

hello = Flask("hello")


@hello.get("/")
def say_hello() -> str:
    return "hello"


app = DispatcherMiddleware(create_app(), {"/hello": hello})
