import * as z from 'zod'

/** Success code of the common envelope (contract 1, section 2.1). */
export const successCode = 200

/** Success code of the operations whose envelope is `{code, message, data}` (contract 1, section 2.1). */
export const messageSuccessCode = 0

/** Reads both forms: `{code: 200, msg}` and, of three operations, `{code: 0, message}`. */
export const anyEnvelope = z.object({
  code: z.int(),
  msg: z.string().optional(),
  message: z.string().optional(),
  data: z.unknown().optional(),
  // Our own service tells these of a failure beyond the contract.
  hint: z.string().optional(),
  retryable: z.boolean().optional(),
})
