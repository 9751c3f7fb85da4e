// gorilla ADDRESS PORT PATH CLIENTS CONNECTS-PER-SECOND SOURCES SUBSCRIPTION
//
// Subscribers as one writes them with gorilla/websocket: a goroutine for each, which parses its messages. The contract
// is that of scripts/bench/floor/main.c: each line on stdin is answered by a line of JSON on stdout, and the end of
// stdin ends the process.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

type message struct {
	SentAtMs *float64 `json:"sentAtMs"`
}

type client struct {
	mutex       sync.Mutex
	latenciesMs []float64
}

type counts struct {
	Opened   int64    `json:"opened"`
	Messages int64    `json:"messages"`
	P50Ms    *float64 `json:"p50Ms"`
	P90Ms    *float64 `json:"p90Ms"`
	P99Ms    *float64 `json:"p99Ms"`
	MaxMs    *float64 `json:"maxMs"`
}

var opened, messages atomic.Int64

func (c *client) read(url string, source string, subscription string) {
	dialer := websocket.Dialer{}
	if source != "" {
		local := &net.TCPAddr{IP: net.ParseIP(source)}
		dialer.NetDialContext = (&net.Dialer{LocalAddr: local}).DialContext
	}
	connection, _, err := dialer.Dial(url, nil)
	if err != nil {
		log.Fatal(err)
	}
	opened.Add(1)
	if err := connection.WriteMessage(websocket.TextMessage, []byte(subscription)); err != nil {
		log.Fatal(err)
	}
	for {
		_, text, err := connection.ReadMessage()
		if err != nil {
			log.Fatal(err)
		}
		c.take(text)
	}
}

func (c *client) take(text []byte) {
	nowMs := float64(time.Now().UnixMicro()) / 1000
	var read message
	if err := json.Unmarshal(text, &read); err != nil {
		log.Fatal(err)
	}
	if read.SentAtMs != nil {
		c.mutex.Lock()
		c.latenciesMs = append(c.latenciesMs, nowMs-*read.SentAtMs)
		c.mutex.Unlock()
	}
	messages.Add(1)
}

// Adds percentiles by nearest rank. Without a latency, there are none.
func (c *counts) addLatencies(clients []client) {
	var all []float64
	for i := range clients {
		clients[i].mutex.Lock()
		all = append(all, clients[i].latenciesMs...)
		clients[i].mutex.Unlock()
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	rank := func(percent int) *float64 { return &all[(len(all)*percent+99)/100-1] }
	c.P50Ms, c.P90Ms, c.P99Ms, c.MaxMs = rank(50), rank(90), rank(99), rank(100)
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	words := os.Args[1:]
	if len(words) != 7 {
		log.Fatal("expected ADDRESS PORT PATH CLIENTS CONNECTS-PER-SECOND SOURCES SUBSCRIPTION")
	}
	url := fmt.Sprintf("ws://%s:%s%s", words[0], words[1], words[2])
	clients := make([]client, number(words[3]))
	pause := time.Second / time.Duration(number(words[4]))
	sources := strings.Split(strings.TrimPrefix(words[5], "-"), ",")
	go func() {
		startedAt := time.Now()
		for i := range clients {
			time.Sleep(time.Until(startedAt.Add(time.Duration(i) * pause)))
			go clients[i].read(url, sources[i%len(sources)], words[6])
		}
	}()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		answer := counts{Opened: opened.Load(), Messages: messages.Load()}
		answer.addLatencies(clients)
		if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
			log.Fatal(err)
		}
	}
}
