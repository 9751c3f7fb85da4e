//! What a server of the protocol `socketio` does: a stream is a room. An event of the wrong form runs no handler.

use std::convert::Infallible;

use serde_json::Value;
use socketioxide::extract::{AckSender, Data, SocketRef};

const NO_ARGUMENTS: [(); 0] = [];

/// The library runs this beside the connection, after the client was told that it is connected.
pub async fn connected() {}

/// A middleware: the client is told that it is connected only after it. The library drops an event without a handler,
/// and one of a quick client would come before the handlers that `connected` adds.
pub async fn serve(socket: SocketRef) -> Result<(), Infallible> {
    socket.on("join", async |socket: SocketRef, Data::<String>(stream), ack: AckSender| {
        if !stream.is_empty() {
            socket.join(stream);
            // One who has left needs no answer.
            ack.send(&NO_ARGUMENTS).ok();
        }
    });
    socket.on("leave", async |socket: SocketRef, Data::<String>(stream)| socket.leave(stream));
    socket.on("echo", async |Data::<Value>(payload), ack: AckSender| {
        ack.send(&payload).ok();
    });
    socket.on("whisper", async |socket: SocketRef, Data::<(String, Value)>((stream, payload))| {
        // It fails for those whose buffer is full, who lose the message.
        socket.to(stream).emit("message", &payload).await.ok();
    });
    Ok(())
}
