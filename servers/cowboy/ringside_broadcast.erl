%% Publishing: who subscribes is a member of the process group of its stream.
-module(ringside_broadcast).
-export([read/1, send/2, send/3]).

%% Reads `{"stream": S, "data": "<JSON>"}`, or says what is wrong with it.
read(Text) ->
    case ringside_json:object(Text) of
        {ok, #{<<"stream">> := <<_, _/binary>> = Stream, <<"data">> := <<Data/binary>>}} ->
            case jsx:is_json(Data, [strict]) of
                true -> {ok, Stream, Data};
                false -> {error, <<"\"data\" is a string, but what it holds is not JSON">>}
            end;
        {ok, #{<<"stream">> := <<_, _/binary>>}} ->
            {error, <<"\"data\" is not a string of JSON">>};
        {ok, _} ->
            {error, <<"\"stream\" is not a non-empty string">>};
        error ->
            {error, <<"the body is not a JSON object">>}
    end.

%% Hands a text to all members of a group, and gives their number.
send(Group, Text) ->
    send(Group, Text, none).

send(Group, Text, Except) ->
    Members = [Member || Member <- pg:get_members(Group), Member =/= Except],
    [Member ! {send, Text} || Member <- Members],
    length(Members).
