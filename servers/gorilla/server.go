package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// A longer publish is answered with 413.
const maxBodyBytes = 1024 * 1024

type server struct {
	streams  *Hub
	audience *Hub
}

func newServer() http.Handler {
	s := &server{streams: newHub(), audience: newHub()}
	mux := http.NewServeMux()
	mux.HandleFunc("/ws", s.serveWsJSON)
	mux.HandleFunc("/shootout", s.serveShootout)
	mux.HandleFunc("/_broadcast", only(http.MethodPost, s.takePublish))
	mux.HandleFunc("/_stats", only(http.MethodGet, func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusOK, readStats())
	}))
	mux.HandleFunc("/health", only(http.MethodGet, func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusOK, map[string]string{"status": "ok"})
	}))
	mux.HandleFunc("/", notFound)
	return mux
}

func only(method string, handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == method {
			handler(w, r)
		} else {
			notFound(w, r)
		}
	}
}

func notFound(w http.ResponseWriter, r *http.Request) {
	refuse(w, http.StatusNotFound, fmt.Sprintf("nothing answers %s %s", r.Method, r.URL.Path))
}

func (s *server) takePublish(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBodyBytes+1))
	if err != nil {
		return
	}
	if len(body) > maxBodyBytes {
		// What is read to its end gets an answer.
		io.Copy(io.Discard, r.Body)
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is longer than %d bytes", maxBodyBytes))
		return
	}
	var asked struct{ Stream, Data any }
	if json.Unmarshal(body, &asked) != nil {
		refuse(w, http.StatusBadRequest, "the body is not a JSON object")
		return
	}
	start := time.Now()
	if problem := s.publish(asked.Stream, asked.Data); problem != "" {
		refuse(w, http.StatusBadRequest, problem)
		return
	}
	w.Header().Set("Server-Timing", fmt.Sprintf("publish;dur=%.3f", time.Since(start).Seconds()*1000))
	w.WriteHeader(http.StatusCreated)
}

// Publishes JSON text to a stream, or says what is wrong with it.
func (s *server) publish(stream any, data any) (problem string) {
	name, isText := stream.(string)
	if !isText || name == "" {
		return `"stream" is not a non-empty string`
	}
	text, isText := data.(string)
	if !isText {
		return `"data" is not a string of JSON`
	}
	if !json.Valid([]byte(text)) {
		return `"data" is a string, but what it holds is not JSON`
	}
	s.streams.Publish(name, []byte(text), nil)
	return ""
}

func refuse(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]string{"message": message})
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(encode(value))
}
