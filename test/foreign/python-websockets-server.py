"""A server over Python's websockets as its documentation shows one, with the messages of the protocol ws-json.

Clients publish, as the library serves WebSocket alone. PORT is where it listens. COUNTS is a file for what it heard,
written at its end.
"""

import asyncio
import json
import os
import signal
from collections import Counter, defaultdict

from websockets.asyncio.server import broadcast, serve

heard = Counter()
streams = defaultdict(set)


async def handler(websocket):
    joined = set()
    try:
        async for text in websocket:
            message = json.loads(text)
            kind = message["type"]
            heard[kind] += 1
            if kind == "subscribe":
                stream = message["stream"]
                streams[stream].add(websocket)
                joined.add(stream)
                await websocket.send(json.dumps({"type": "subscribed", "stream": stream}))
            elif kind == "echo":
                await websocket.send(text)
            elif kind == "whisper":
                broadcast(streams[message["stream"]] - {websocket}, text)
            elif kind == "broadcast":
                broadcast(streams[message["stream"]], message["data"])
    finally:
        for stream in joined:
            streams[stream].discard(websocket)


async def main():
    async with serve(handler, "127.0.0.1", int(os.environ["PORT"])) as server:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.close)
        await server.wait_closed()
    with open(os.environ["COUNTS"], "w", encoding="utf-8") as file:
        json.dump(heard, file)


if __name__ == "__main__":
    asyncio.run(main())
