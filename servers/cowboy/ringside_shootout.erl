%% One client of the protocol `shootout`.
-module(ringside_shootout).
-behaviour(cowboy_websocket).
-export([init/2, websocket_init/1, websocket_handle/2, websocket_info/2, terminate/3]).

init(Request, {Stats, Options}) ->
    {cowboy_websocket, Request, Stats, Options}.

websocket_init(Stats) ->
    ringside_stats:opened(Stats),
    ok = pg:join(?MODULE, self()),
    {[], Stats}.

websocket_handle({text, Text}, Stats) ->
    case ringside_json:object(Text) of
        {ok, Message} -> {answer(Message), Stats};
        error -> {wrong(<<"the message is not a JSON object">>), Stats}
    end;
websocket_handle({binary, _}, Stats) ->
    {wrong(<<"the message is binary, not text">>), Stats};
websocket_handle(_, Stats) ->
    {[], Stats}.

websocket_info({send, Text}, Stats) ->
    {[{text, Text}], Stats}.

terminate(_, _, Stats) ->
    ringside_stats:closed(Stats).

answer(#{<<"type">> := <<"echo">>} = Message) ->
    [{text, jsx:encode([{type, echo}, {payload, payload(Message)}])}];
answer(#{<<"type">> := <<"broadcast">>} = Message) ->
    Payload = payload(Message),
    Listeners = ringside_broadcast:send(?MODULE, jsx:encode([{type, broadcast}, {payload, Payload}])),
    %% The sender gets its own broadcast first, which waits in its mailbox.
    self() ! {send, jsx:encode([{type, broadcastResult}, {payload, Payload}, {listenerCount, Listeners}])},
    [];
answer(_) ->
    wrong(<<"the message has no known \"type\"">>).

payload(Message) ->
    maps:get(<<"payload">>, Message, null).

wrong(Why) ->
    [{text, ringside_json:error_message(Why)}].
