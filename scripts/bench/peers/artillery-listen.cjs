// A listener as one writes it with Artillery, whose own steps time no message that the server pushes.
module.exports.listen = (context, events, done) => {
  context.ws.onmessage = ({ data }) => {
    const { sentAtMs } = JSON.parse(data);
    if (sentAtMs === undefined) return;
    events.emit('counter', 'broadcasts', 1);
    events.emit('histogram', 'latency', Date.now() - sentAtMs);
  };
  done();
};
