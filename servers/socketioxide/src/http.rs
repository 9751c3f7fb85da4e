//! The HTTP endpoints of the contract.

use std::time::Instant;

use axum::{
    Router,
    body::Body,
    extract::State,
    http::{Method, StatusCode, Uri, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use socketioxide::SocketIo;

use crate::stats;

/// A longer publish is answered with 413.
const MAX_BODY_BYTES: usize = 1024 * 1024;

pub fn routes(io: SocketIo) -> Router {
    Router::new()
        .route("/_broadcast", post(publish))
        .route("/_stats", get(async || answer(StatusCode::OK, &stats::read())))
        .route("/health", get(async || answer(StatusCode::OK, &json!({ "status": "ok" }))))
        .fallback(not_found)
        .method_not_allowed_fallback(not_found)
        .with_state(io)
}

async fn not_found(method: Method, uri: Uri) -> Response {
    refuse(StatusCode::NOT_FOUND, &format!("nothing answers {method} {}", uri.path()))
}

async fn publish(State(io): State<SocketIo>, body: Body) -> Response {
    let Some(text) = read_all(body).await else {
        return refuse(StatusCode::PAYLOAD_TOO_LARGE, &format!("the body is longer than {MAX_BODY_BYTES} bytes"));
    };
    let (stream, value) = match read_broadcast(&text) {
        Ok(broadcast) => broadcast,
        Err(problem) => return refuse(StatusCode::BAD_REQUEST, problem),
    };
    let start = Instant::now();
    // It fails for those whose buffer is full, who lose the message.
    io.to(stream).emit("message", &value).await.ok();
    let timing = format!("publish;dur={:.3}", start.elapsed().as_secs_f64() * 1000.0);
    (StatusCode::CREATED, [("server-timing", timing)]).into_response()
}

/// The whole body, or none if it is too long. It is read to its end, so that an answer arrives.
async fn read_all(mut body: Body) -> Option<Vec<u8>> {
    let (mut text, mut length) = (Vec::new(), 0);
    while let Some(Ok(frame)) = body.frame().await {
        let Ok(bytes) = frame.into_data() else { continue };
        length += bytes.len();
        if length <= MAX_BODY_BYTES {
            text.extend_from_slice(&bytes);
        }
    }
    (length <= MAX_BODY_BYTES).then_some(text)
}

/// The stream and the value of `{"stream": S, "data": "<JSON>"}`, or what is wrong with it.
fn read_broadcast(text: &[u8]) -> Result<(String, Value), &'static str> {
    let Ok(Value::Object(body)) = serde_json::from_slice(text) else {
        return Err("the body is not a JSON object");
    };
    let stream = match body.get("stream") {
        Some(Value::String(stream)) if !stream.is_empty() => stream.clone(),
        _ => return Err("\"stream\" is not a non-empty string"),
    };
    let Some(Value::String(data)) = body.get("data") else {
        return Err("\"data\" is not a string of JSON");
    };
    match serde_json::from_str(data) {
        Ok(value) => Ok((stream, value)),
        Err(_) => Err("\"data\" is a string, but what it holds is not JSON"),
    }
}

fn refuse(status: StatusCode, message: &str) -> Response {
    answer(status, &json!({ "message": message }))
}

fn answer(status: StatusCode, value: &Value) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}
