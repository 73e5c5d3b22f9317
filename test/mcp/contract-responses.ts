/** When everything in the double happened. */
export const contractTime = '2026-01-02T03:04:05.000Z'

interface Reply {
  code(status: number): Reply
  send(body: unknown): unknown
}

/** The envelope of a failure: its code and status, and what is wrong. */
export function fail(reply: Reply, [code, status]: readonly [number, number], msg: string): unknown {
  return reply.code(status).send({ code, msg, data: null })
}

/** The envelope of a success. */
export const ok = (data: unknown): unknown => ({ code: 200, msg: 'success', data })
