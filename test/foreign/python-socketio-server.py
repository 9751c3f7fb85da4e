"""A Socket.IO server as the documentation of python-socketio shows one, over aiohttp.

It has the three events and the publish endpoint of docs/targets.md. PORT is where it listens. COUNTS is a file for what
it heard, written at its end.
"""

import json
import os
from collections import Counter

import socketio
from aiohttp import web

heard = Counter()
sio = socketio.AsyncServer(async_mode="aiohttp")


@sio.event
async def join(sid, stream):
    await sio.enter_room(sid, stream)
    heard["joins"] += 1


@sio.event
async def echo(sid, data):
    heard["echoes"] += 1
    return data


@sio.event
async def whisper(sid, stream, data):
    heard["whispers"] += 1
    await sio.emit("message", data, room=stream, skip_sid=sid)


async def broadcast(request):
    body = await request.json()
    heard["broadcasts"] += 1
    await sio.emit("message", json.loads(body["data"]), room=body["stream"])
    return web.Response(status=201)


app = web.Application()
app.router.add_post("/_broadcast", broadcast)
sio.attach(app)

if __name__ == "__main__":
    web.run_app(app, host="127.0.0.1", port=int(os.environ["PORT"]), print=None)
    with open(os.environ["COUNTS"], "w", encoding="utf-8") as file:
        json.dump(heard, file)
