package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// What `/_stats` answers. Go has no event loop, so nothing is told of one.
type stats struct {
	Pid         int               `json:"pid"`
	RssBytes    int64             `json:"rssBytes"`
	CPUUserUs   int64             `json:"cpuUserUs"`
	CPUSystemUs int64             `json:"cpuSystemUs"`
	Connections int64             `json:"connections"`
	Versions    map[string]string `json:"versions"`
	Settings    map[string]any    `json:"settings"`
}

func readStats() stats {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return stats{
		Pid:         os.Getpid(),
		RssBytes:    residentBytes(),
		CPUUserUs:   microseconds(usage.Utime),
		CPUSystemUs: microseconds(usage.Stime),
		Connections: atomic.LoadInt64(&connections),
		Versions: map[string]string{
			"go":                strings.TrimPrefix(runtime.Version(), "go"),
			"gorilla/websocket": libraryVersion(),
		},
		// The library sets none of these; its chat example does.
		Settings: map[string]any{
			"pingPeriodMs": pingPeriod.Milliseconds(),
			"pongWaitMs":   pongWait.Milliseconds(),
			"writeWaitMs":  writeWait.Milliseconds(),
			"sendMessages": sendMessages,
		},
	}
}

func microseconds(time syscall.Timeval) int64 {
	return int64(time.Sec)*1_000_000 + int64(time.Usec)
}

// The second number of /proc/self/statm counts resident pages.
func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		panic(err)
	}
	return pages * int64(os.Getpagesize())
}
