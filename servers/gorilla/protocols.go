package main

import (
	"encoding/json"
	"net/http"
)

// Every connection of `/shootout` is in this one stream.
const everybody = "all"

// A text message of a client. What is left out of it is nil.
type request struct {
	Type    any             `json:"type"`
	Stream  any             `json:"stream"`
	Data    any             `json:"data"`
	Payload json.RawMessage `json:"payload"`
}

func (s *server) serveWsJSON(w http.ResponseWriter, r *http.Request) {
	serve(s.streams, w, r, func(*Client) {}, func(client *Client, text []byte) {
		asked, problem := read(text)
		stream, isStream := asked.Stream.(string)
		isStream = isStream && stream != ""
		switch asked.Type {
		case "echo":
			client.Answer(text)
		case "subscribe", "unsubscribe", "whisper":
			if isStream {
				s.serveStream(client, asked.Type.(string), stream, text)
			} else {
				problem = `"stream" is not a non-empty string`
			}
		case "broadcast":
			problem = s.publish(asked.Stream, asked.Data)
		default:
			if problem == "" {
				problem = `the message has no known "type"`
			}
		}
		if problem != "" {
			client.Answer(errorMessage(problem))
		}
	})
}

func (s *server) serveStream(client *Client, action string, stream string, text []byte) {
	switch action {
	case "subscribe":
		s.streams.subscribe <- subscription{client, stream, encode(typed{"subscribed", stream})}
	case "unsubscribe":
		s.streams.unsubscribe <- subscription{client: client, stream: stream}
	case "whisper":
		s.streams.Publish(stream, text, client)
	}
}

func (s *server) serveShootout(w http.ResponseWriter, r *http.Request) {
	opened := func(client *Client) {
		s.audience.subscribe <- subscription{client: client, stream: everybody}
	}
	serve(s.audience, w, r, opened, func(client *Client, text []byte) {
		asked, problem := read(text)
		var payload any
		if problem == "" && asked.Payload != nil {
			// It was read as JSON before.
			json.Unmarshal(asked.Payload, &payload)
		}
		switch asked.Type {
		case "echo":
			client.Answer(encode(message{Type: "echo", Payload: payload}))
		case "broadcast":
			listeners := s.audience.Publish(everybody, encode(message{Type: "broadcast", Payload: payload}), nil)
			client.Answer(encode(message{"broadcastResult", payload, &listeners}))
		default:
			if problem == "" {
				problem = `the message has no known "type"`
			}
			client.Answer(errorMessage(problem))
		}
	})
}

type typed struct {
	Type   string `json:"type"`
	Stream string `json:"stream"`
}

type message struct {
	Type          string `json:"type"`
	Payload       any    `json:"payload"`
	ListenerCount *int   `json:"listenerCount,omitempty"`
}

// Reads a text message, or says what is wrong with it.
func read(text []byte) (asked request, problem string) {
	if text == nil {
		return request{}, "the message is binary, not text"
	}
	if err := json.Unmarshal(text, &asked); err != nil {
		return request{}, "the message is not a JSON object"
	}
	return asked, ""
}

func errorMessage(why string) []byte {
	return encode(struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}{"error", why})
}

func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
