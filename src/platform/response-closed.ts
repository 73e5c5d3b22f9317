import type { ServerResponse } from 'node:http'

/**
 * Calls a function once a response is sent or its client has disconnected. Calls it at once if that has happened: a
 * request continues when its client leaves while its key is checked.
 */
export function onResponseClosed(response: ServerResponse, act: () => void): void {
  if (response.closed || response.req.socket.destroyed) act()
  else response.once('close', act)
}
