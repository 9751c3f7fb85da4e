%% The target `cowboy`: Cowboy with its defaults, and the process that servers/README.md asks for.
-module(ringside).
-export([start/0, fail/2]).

%% `idle_timeout` would cut off subscribers that say nothing for a minute. Ranch stops accepting at 1024 connections.
-define(SETTINGS, #{idle_timeout => infinity, max_connections => infinity}).

%% Called by `erl -s ringside`. The arguments stand behind `-extra`.
start() ->
    #{host := Host, port := Port} = arguments(init:get_plain_arguments()),
    [{ok, _} = application:ensure_all_started(Application) || Application <- [cowboy, jsx]],
    load(),
    Stats = ringside_stats:new(?SETTINGS),
    case listen(Host, Port, routes(Stats)) of
        {ok, _} ->
            logger:set_primary_config(level, error),
            ringside_end:when_told(),
            announce(Host);
        {error, Reason} ->
            fail(why_deaf(Host, Port, Reason), 1)
    end.

%% Loads all modules at the start, as a release does. Else the first clients would wait for it.
load() ->
    Libraries = [ranch, cowlib, cowboy, jsx],
    Modules = [Module || Library <- Libraries, {ok, Of} <- [application:get_key(Library, modules)], Module <- Of],
    Own = [ringside_broadcast, ringside_end, ringside_http, ringside_json, ringside_shootout, ringside_stats],
    ok = code:ensure_modules_loaded([ringside_ws_json | Own ++ Modules]).

%% Ends the process with one line on stderr.
fail(Message, ExitCode) ->
    io:format(standard_error, "cowboy: ~ts~n", [Message]),
    halt(ExitCode).

routes(Stats) ->
    WebSocket = maps:with([idle_timeout], ?SETTINGS),
    cowboy_router:compile([
        {'_', [
            {"/ws", ringside_ws_json, {Stats, WebSocket}},
            {"/shootout", ringside_shootout, {Stats, WebSocket}},
            {'_', ringside_http, Stats}
        ]}
    ]).

listen(Host, Port, Routes) ->
    case address(Host) of
        {ok, Address} ->
            Transport = maps:with([max_connections], ?SETTINGS),
            SocketOptions = #{socket_opts => [{ip, Address}, {port, Port}]},
            cowboy:start_clear(?MODULE, maps:merge(Transport, SocketOptions), #{env => #{dispatch => Routes}});
        {error, Reason} ->
            {error, Reason}
    end.

address(Host) ->
    case inet:parse_address(Host) of
        {ok, Address} -> {ok, Address};
        {error, _} -> inet:getaddr(Host, inet)
    end.

announce(Host) ->
    Listening = [
        {host, unicode:characters_to_binary(Host)},
        {port, ranch:get_port(?MODULE)},
        {pid, list_to_integer(os:getpid())}
    ],
    io:format("~ts~n", [jsx:encode([{listening, Listening}])]).

why_deaf(Host, Port, eaddrinuse) ->
    io_lib:format("port ~b of ~ts is in use", [Port, Host]);
why_deaf(Host, Port, Reason) ->
    io_lib:format("can't listen on port ~b of ~ts: ~ts", [Port, Host, inet:format_error(Reason)]).

arguments(Given) ->
    read(lists:flatmap(fun(Argument) -> string:split(Argument, "=") end, Given), #{host => "127.0.0.1", port => 0}).

read([], Read) ->
    Read;
read(["--version" | _], _) ->
    io:format("~ts~n", [ringside_stats:version(cowboy)]),
    halt(0);
read(["--host", Host | More], Read) ->
    read(More, Read#{host := Host});
read(["--port", Port | More], Read) ->
    case string:to_integer(Port) of
        {Number, []} when Number >= 0, Number =< 65535 -> read(More, Read#{port := Number});
        _ -> fail(["--port must be 0 to 65535, not ", Port], 2)
    end;
read(["--processes", "1" | More], Read) ->
    read(More, Read);
read(["--processes", Processes | _], _) ->
    fail(["--processes must be 1 here, not ", Processes], 2);
read([Unknown | _], _) ->
    fail(["there is no option ", Unknown, ", or its value is missing"], 2).
