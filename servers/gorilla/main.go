// A server under test: gorilla/websocket on net/http, written as the library's chat example is. It keeps the contract
// of servers/README.md.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
)

const library = "github.com/gorilla/websocket"

func main() {
	host, port := readFlags()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		fail(1, fmt.Sprintf("port %d of %s is in use", port, host))
	} else if err != nil {
		fail(1, fmt.Sprintf("can't listen on port %d of %s: %s", port, host, err))
	}
	go exitWhenTold()
	announce(host, listener.Addr().(*net.TCPAddr).Port)
	fail(1, http.Serve(listener, newServer()).Error())
}

func readFlags() (host string, port int) {
	flags := flag.NewFlagSet("gorilla", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&host, "host", "127.0.0.1", "address to listen on")
	flags.IntVar(&port, "port", 0, "port to listen on")
	version := flags.Bool("version", false, "print the version of the library")
	if err := flags.Parse(os.Args[1:]); err != nil {
		fail(2, err.Error())
	}
	if port < 0 || port > 65535 {
		fail(2, fmt.Sprintf("--port must be 0 to 65535, not %d", port))
	}
	if *version {
		fmt.Println(libraryVersion())
		os.Exit(0)
	}
	return host, port
}

// The one line on stdout that the contract asks for.
func announce(host string, port int) {
	type listening struct {
		Host string `json:"host"`
		Port int    `json:"port"`
		Pid  int    `json:"pid"`
	}
	line, err := json.Marshal(map[string]listening{"listening": {host, port, os.Getpid()}})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}

// The kernel closes every connection of a process that ends.
func exitWhenTold() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT)
	if os.Getenv("RINGSIDE_EXIT_WITH_STDIN") == "1" {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			told <- syscall.SIGTERM
		}()
	}
	<-told
	os.Exit(0)
}

func fail(code int, message string) {
	fmt.Fprintln(os.Stderr, "gorilla: "+strings.ReplaceAll(message, "\n", " "))
	os.Exit(code)
}

func libraryVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, module := range info.Deps {
		if module.Path == library {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return "unknown"
}
