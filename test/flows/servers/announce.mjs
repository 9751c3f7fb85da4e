/** Says on stdout where a server listens, as the servers in `servers/` do. */
export function announce(server) {
  const say = () => console.log(JSON.stringify({ listening: { port: server.address().port } }));
  if (server.address()) say();
  else server.once('listening', say);
}
