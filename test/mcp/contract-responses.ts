/** Fixed time of all events in the test double. */
export const contractTime = '2026-01-02T03:04:05.000Z'

interface ContractReply {
  code(status: number): ContractReply
  send(body: unknown): unknown
}

/** Sends an error envelope with the error code, the HTTP status and a message. */
export function fail(reply: ContractReply, [code, status]: readonly [number, number], msg: string): unknown {
  return reply.code(status).send({ code, msg, data: null })
}

/** Success envelope. */
export const ok = (data: unknown): unknown => ({ code: 200, msg: 'success', data })
