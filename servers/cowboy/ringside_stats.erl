%% What `GET /_stats` tells: https://www.kernel.org/doc/html/latest/filesystems/proc.html has the files of /proc.
-module(ringside_stats).
-export([new/1, opened/1, closed/1, read/1, version/1]).

-define(CONNECTIONS, 1).
%% A tick of /proc/PID/stat: the kernel counts 100 a second for programs.
-define(TICK_US, 10000).

new(Settings) ->
    {counters:new(1, []), Settings}.

opened({Counters, _}) ->
    counters:add(Counters, ?CONNECTIONS, 1).

closed({Counters, _}) ->
    counters:sub(Counters, ?CONNECTIONS, 1).

read({Counters, Settings}) ->
    {UserUs, SystemUs} = cpu_time(),
    #{
        pid => list_to_integer(os:getpid()),
        rssBytes => rss_bytes(),
        cpuUserUs => UserUs,
        cpuSystemUs => SystemUs,
        connections => counters:get(Counters, ?CONNECTIONS),
        versions => #{erlang => erlang_version(), cowboy => version(cowboy), jsx => version(jsx)},
        settings => Settings
    }.

version(Application) ->
    application:load(Application),
    {ok, Version} = application:get_key(Application, vsn),
    list_to_binary(Version).

erlang_version() ->
    Release = erlang:system_info(otp_release),
    {ok, Version} = file:read_file(filename:join([code:root_dir(), "releases", Release, "OTP_VERSION"])),
    string:trim(Version).

rss_bytes() ->
    {ok, Status} = file:read_file("/proc/self/status"),
    {match, [KiB]} = re:run(Status, "VmRSS:\\s*(\\d+) kB", [{capture, all_but_first, binary}]),
    binary_to_integer(KiB) * 1024.

cpu_time() ->
    {ok, Stat} = file:read_file("/proc/self/stat"),
    %% The name of the program, in parentheses, can have spaces. User and system time are 12 and 13 fields behind it.
    [_, Fields] = string:split(Stat, ") ", trailing),
    [User, System] = lists:sublist(string:split(Fields, " ", all), 12, 2),
    {binary_to_integer(User) * ?TICK_US, binary_to_integer(System) * ?TICK_US}.
