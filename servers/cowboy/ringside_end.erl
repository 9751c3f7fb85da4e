%% Ends the process on SIGTERM, and with its stdin where that is asked for. The kernel closes the connections.
-module(ringside_end).
-behaviour(gen_event).
-export([when_told/0]).
-export([init/1, handle_event/2, handle_call/2]).

when_told() ->
    ok = gen_event:delete_handler(erl_signal_server, erl_signal_handler, []),
    ok = gen_event:add_handler(erl_signal_server, ?MODULE, []),
    case os:getenv("RINGSIDE_EXIT_WITH_STDIN") of
        "1" -> spawn(fun end_with_stdin/0);
        _ -> ok
    end.

end_with_stdin() ->
    case io:get_chars("", 4096) of
        eof -> halt(0);
        _ -> end_with_stdin()
    end.

init([]) ->
    {ok, []}.

handle_event(sigterm, State) ->
    halt(0),
    {ok, State};
handle_event(_, State) ->
    {ok, State}.

handle_call(_, State) ->
    {ok, ok, State}.
