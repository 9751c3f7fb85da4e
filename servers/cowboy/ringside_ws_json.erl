%% One client of the protocol `ws-json`.
-module(ringside_ws_json).
-behaviour(cowboy_websocket).
-export([init/2, websocket_init/1, websocket_handle/2, websocket_info/2, terminate/3]).

init(Request, {Stats, Options}) ->
    {cowboy_websocket, Request, #{stats => Stats, streams => []}, Options}.

websocket_init(#{stats := Stats} = State) ->
    ringside_stats:opened(Stats),
    {[], State}.

websocket_handle({text, Text}, State) ->
    case ringside_json:object(Text) of
        {ok, Message} -> answer(Message, Text, State);
        error -> {wrong(<<"the message is not a JSON object">>), State}
    end;
websocket_handle({binary, _}, State) ->
    {wrong(<<"the message is binary, not text">>), State};
websocket_handle(_, State) ->
    {[], State}.

websocket_info({send, Text}, State) ->
    {[{text, Text}], State}.

terminate(_, _, #{stats := Stats}) ->
    ringside_stats:closed(Stats).

answer(#{<<"type">> := <<"echo">>}, Text, State) ->
    {[{text, Text}], State};
answer(#{<<"type">> := <<"broadcast">>}, Text, State) ->
    case ringside_broadcast:read(Text) of
        {ok, Stream, Data} ->
            ringside_broadcast:send(Stream, Data),
            {[], State};
        {error, Why} ->
            {wrong(Why), State}
    end;
answer(#{<<"type">> := Type, <<"stream">> := <<_, _/binary>> = Stream}, Text, State) ->
    about(Type, Stream, Text, State);
answer(#{<<"type">> := Type}, _, State)
    when Type =:= <<"subscribe">>; Type =:= <<"unsubscribe">>; Type =:= <<"whisper">> ->
    {wrong(<<"\"stream\" is not a non-empty string">>), State};
answer(_, _, State) ->
    unknown(State).

about(<<"subscribe">>, Stream, _, #{streams := Streams} = State) ->
    %% A group takes a process as often as it joins.
    lists:member(Stream, Streams) orelse pg:join(Stream, self()),
    Subscribed = jsx:encode([{type, subscribed}, {stream, Stream}]),
    {[{text, Subscribed}], State#{streams := [Stream | lists:delete(Stream, Streams)]}};
about(<<"unsubscribe">>, Stream, _, #{streams := Streams} = State) ->
    pg:leave(Stream, self()),
    {[], State#{streams := lists:delete(Stream, Streams)}};
about(<<"whisper">>, Stream, Text, State) ->
    ringside_broadcast:send(Stream, Text, self()),
    {[], State};
about(_, _, _, State) ->
    unknown(State).

unknown(State) ->
    {wrong(<<"the message has no known \"type\"">>), State}.

wrong(Why) ->
    [{text, ringside_json:error_message(Why)}].
