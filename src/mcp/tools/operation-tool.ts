import * as z from 'zod'
import { describePrice } from '../../contract/credits.ts'
import { acceptedFileKinds, creationErrorCodes } from '../../contract/operation-errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { parseArguments } from '../arguments.ts'
import { normalizeArguments } from '../normalize-arguments.ts'
import { rejectPixelBoxes } from '../pixel-boxes.ts'
import { runOperation } from '../run-operation.ts'
import { snapshotSchema } from '../snapshot.ts'
import { waitSeconds } from '../call-limits.ts'
import { forceNew, publishInputSchema, saveTo, type Tool } from '../tool.ts'
import { uploadErrors } from './file-tools.ts'

/** Arguments that every operation's tool accepts beside the operation's own. */
const callOptions = z.object({ wait_seconds: waitSeconds, save_to: saveTo, force_new: forceNew })

/** Input of the tool of an operation: more than the contract's where the tool accepts more. */
export function toolInput({ agentForm, input }: Operation): z.ZodObject {
  return (agentForm?.input ?? input).extend(callOptions.shape)
}

/** The tool of an operation, derived from its contract: takes local paths, creates a task, delivers result files. */
export function operationTool(operation: Operation): Tool {
  const input = toolInput(operation)
  return {
    toolset: operation.toolset,
    example: operation.examples[0].call ?? operation.examples[0].input,
    details: operation.details,
    // Computed on demand: only the documentation reads it.
    get errors() {
      return [
        ...(acceptedFileKinds(operation.input).size > 0 ? uploadErrors : []),
        ...creationErrorCodes(operation),
      ]
    },
    definition: {
      name: operation.name,
      title: operation.title,
      description: `${operation.description} Price: ${describePrice(operation.price)}.`,
      inputSchema: publishInputSchema(input),
      outputSchema: snapshotSchema,
      // Each call creates a task, spends credits and writes new files; it changes nothing that exists.
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    fullInputSchema: () => publishInputSchema(input, 'full'),
    async run(session, given, call) {
      const { args: read, assumed } = normalizeArguments(input, given)
      const { wait_seconds, save_to, force_new, ...args } = read
      const { args: options } = parseArguments(callOptions, { wait_seconds, save_to, force_new })
      await rejectPixelBoxes(session, { operation, args }, call)
      return runOperation(session, { operation, args, assumed, options }, call)
    },
  }
}
