import * as z from 'zod'

/** Longest a call may be asked to wait, seconds: clients give up at 60. */
const maxWaitSeconds = 45

/** How long a call waits before it answers with what there is. */
export const waitSeconds = z
  .int()
  .min(0)
  .max(maxWaitSeconds)
  .default(20)
  .describe('Seconds to wait for the result before answering with the state')

/** Where result files go. */
export const saveTo = z
  .string()
  .min(1)
  .max(4096)
  .optional()
  .describe(
    'Folder for the result (or a file name, for one file); default reelwright-output/ in the workspace',
  )

/** A file the agent names. */
export const pathOrId = z
  .string({
    error: (issue) =>
      typeof issue.input === 'number'
        ? 'a file is given as text; as a number an id has lost digits'
        : undefined,
  })
  .min(1)
  .max(4096)
