%% `/_broadcast`, `/health` and `/_stats`.
-module(ringside_http).
-behaviour(cowboy_handler).
-export([init/2]).

-define(MAX_BODY_BYTES, 1048576).

init(Request, Stats) ->
    {Status, Headers, Body, Read} = answer(cowboy_req:method(Request), cowboy_req:path(Request), Request, Stats),
    Json = #{<<"content-type">> => <<"application/json">>},
    {ok, cowboy_req:reply(Status, maps:merge(Json, Headers), Body, Read), Stats}.

answer(<<"POST">>, <<"/_broadcast">>, Request, _) ->
    {Body, Read} = body(Request, <<>>),
    {Status, Headers, Answer} = publish(Body),
    {Status, Headers, Answer, Read};
answer(<<"GET">>, <<"/health">>, Request, _) ->
    {200, #{}, <<"{\"status\":\"ok\"}">>, Request};
answer(<<"GET">>, <<"/_stats">>, Request, Stats) ->
    {200, #{}, jsx:encode(ringside_stats:read(Stats)), Request};
answer(Method, Path, Request, _) ->
    {404, #{}, problem(<<"nothing answers ", Method/binary, " ", Path/binary>>), Request}.

publish(Body) when byte_size(Body) > ?MAX_BODY_BYTES ->
    {413, #{}, problem(<<"the body is longer than ", (integer_to_binary(?MAX_BODY_BYTES))/binary, " bytes">>)};
publish(Body) ->
    case ringside_broadcast:read(Body) of
        {ok, Stream, Data} ->
            {Microseconds, _} = timer:tc(ringside_broadcast, send, [Stream, Data]),
            {201, #{<<"server-timing">> => io_lib:format("publish;dur=~.3f", [Microseconds / 1000])}, <<>>};
        {error, Why} ->
            {400, #{}, problem(Why)}
    end.

%% What exceeds the limit is read but not kept, so that an answer arrives.
body(Request, Before) ->
    {Is, Part, Read} = cowboy_req:read_body(Request),
    Body = case byte_size(Before) > ?MAX_BODY_BYTES of
        true -> Before;
        false -> <<Before/binary, Part/binary>>
    end,
    case Is of
        ok -> {Body, Read};
        more -> body(Read, Body)
    end.

problem(Message) ->
    jsx:encode([{message, Message}]).
