import * as z from 'zod'
import { maxPathLength } from '../workspace.ts'

/** Longest a call may be asked to wait, seconds: clients give up at 60. */
const maxWaitSeconds = 45

/** How long a call waits before it answers with what there is. */
export const waitSeconds = z
  .int()
  .min(0)
  .max(maxWaitSeconds)
  .default(20)
  .describe('Seconds to wait for the result')

/** A path or id: bounds that nobody meets stay out of the published schema. */
export const pathText = z
  .string({
    error: (issue) =>
      typeof issue.input === 'number'
        ? 'a file is given as text; as a number an id has lost digits'
        : undefined,
  })
  .refine(({ length }) => length > 0 && length <= maxPathLength, `is empty or longer than ${maxPathLength}`)

/** Where result files go. */
export const saveTo = pathText.optional().describe('Folder for the files, or a name for them')

/** A file the agent names. */
export const pathOrId = pathText.describe('Path, or file id')

/** Whether a call repeats work that is under way. */
export const forceNew = z.boolean().default(false).describe('Begin anew beside an equal call')
