import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { MediaError } from '../contract/errors.ts'
import { toInputRequest, type ConsentQuestion } from './consent.ts'

/** What a tool answers: data, and small pictures beside it. */
export interface ToolReply {
  readonly data: Readonly<Record<string, unknown>>
  readonly images?: readonly { readonly bytes: Buffer; readonly mimeType: string }[]
  /** What the user is asked instead; the call comes again with what was said. */
  readonly question?: ConsentQuestion
}

/** A tool's answer: the data as structured content and as text, since clients show the model either. */
export function toResult({ question, ...told }: ToolReply): CallToolResult | InputRequiredResult {
  return question ? toInputRequest(question) : toDataResult(told)
}

/** Data, and small pictures beside it. */
export function toDataResult({ data, images = [] }: Omit<ToolReply, 'question'>): CallToolResult {
  return {
    content: [
      { type: 'text', text: JSON.stringify(data) },
      ...images.map(({ bytes, mimeType }) => ({
        type: 'image' as const,
        data: bytes.toString('base64'),
        mimeType,
      })),
    ],
    structuredContent: data,
  }
}

/** An error for the agent: text alone, as older clients validate structured content even on errors. */
export function toErrorResult(error: unknown): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: describeError(error) }] }
}

/** `CODE: what. Fix: … Retryable: yes|no`; a bug answers 6500 without its text. */
export function describeError(error: unknown): string {
  const shown = error instanceof MediaError ? error : new MediaError(6500, 'Internal error')
  const fix = shown.hint.replace(/\.?$/, '.')
  return `${shown.code}: ${shown.message.replace(/\.?$/, '.')} Fix: ${fix} Retryable: ${shown.retryable ? 'yes' : 'no'}`
}
