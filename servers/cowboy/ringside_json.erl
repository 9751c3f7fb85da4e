%% JSON by jsx.
-module(ringside_json).
-export([object/1, error_message/1]).

object(Text) ->
    try jsx:decode(Text, [return_maps, strict]) of
        #{} = Object -> {ok, Object};
        _ -> error
    catch
        error:badarg -> error
    end.

%% What a client gets for a message that can't be read.
error_message(Why) ->
    jsx:encode([{type, error}, {message, Why}]).
