import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  ProtocolError,
  ProtocolErrorCode,
  type GetPromptResult,
  type Prompt,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import { fileKinds, type FileKind } from '../contract/file-kind.ts'

/** Values that an argument of a prompt accepts: fixed words, or files of the workspace of certain kinds. */
export type ArgumentValues = { readonly words: readonly string[] } | { readonly files: readonly FileKind[] }

/** A prompt: its entry in the prompt list, and its text with `{{argument}}` placeholders. */
export interface PromptFile {
  readonly listed: Prompt
  /** By argument name; arguments that accept any text are absent. */
  readonly values: ReadonlyMap<string, ArgumentValues>
  readonly text: string
}

/** Reads all `*.md` files of a folder and returns the prompts by name. Throws if a file is malformed, naming the file. */
export async function loadPrompts(folder: string): Promise<ReadonlyMap<string, PromptFile>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).toSorted()
  const prompts = await Promise.all(
    names.map(async (name) => parsePrompt(await readFile(join(folder, name), 'utf8'), name)),
  )
  return new Map(prompts.map((prompt) => [prompt.listed.name, prompt]))
}

/** Longest front matter, characters. */
const maxFrontMatterLength = 16_384

const requiredText = z.string('is required').trim().min(1, 'is required')

const frontMatter = z.strictObject({
  name: requiredText,
  title: requiredText,
  description: requiredText,
  arguments: z
    .record(
      z.string().regex(/^\w+$/, 'is not a valid argument name'),
      z.strictObject({
        description: requiredText,
        optional: z.boolean().default(false),
        /** Kinds of the workspace files that the argument accepts. */
        files: z.array(z.enum(fileKinds)).min(1).optional(),
        words: z.array(z.string().min(1)).min(1).optional(),
      }),
    )
    .default({}),
})

/**
 * Parses a prompt file: YAML front matter with `name`, `title`, `description` and `arguments`, then the text. Throws a
 * TypeError that names the file if a field is missing or malformed, or a placeholder is not an argument.
 */
export async function parsePrompt(source: string, file: string): Promise<PromptFile> {
  const parts = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(source.replaceAll('\r\n', '\n'))
  const [, head, text = ''] = parts ?? []
  if (head === undefined) throw new TypeError(`${file}: front matter between two lines of --- is required`)
  const { name, title, description, arguments: declared } = await parseFrontMatter(head, file)
  for (const used of placeholdersIn(text)) {
    if (!Object.hasOwn(declared, used)) throw new TypeError(`${file}: {{${used}}} is not an argument`)
  }
  const args = Object.entries(declared).map(([argument, { description: about, optional }]) => {
    return { name: argument, description: about, required: !optional }
  })
  const values = Object.entries(declared).flatMap(([argument, { files, words }]) => {
    const accepted = files ? { files } : words && { words }
    return accepted ? [[argument, accepted] as const] : []
  })
  return {
    listed: { name, title, description, arguments: args },
    values: new Map(values),
    text: text.trim(),
  }
}

async function parseFrontMatter(head: string, file: string): Promise<z.output<typeof frontMatter>> {
  if (head.length > maxFrontMatterLength) {
    throw new TypeError(`${file}: the front matter is longer than ${maxFrontMatterLength} characters`)
  }
  const parsed = frontMatter.safeParse(await parseYaml(head, file))
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'front matter'}: ${message}`,
  )
  throw new TypeError(`${file}: ${issues.join('; ')}`)
}

async function parseYaml(text: string, file: string): Promise<unknown> {
  // Loaded for the first prompt, as it would slow down the start of each session.
  const { parse } = await import('yaml')
  try {
    return parse(text, { maxAliasCount: 0 })
  } catch (cause) {
    throw new TypeError(`${file}: the front matter is not valid YAML`, { cause })
  }
}

/**
 * Fills in a prompt's placeholders; an absent argument reads "not said". The only item of a list that names a file is
 * repeated for each of several files, which are separated by commas. Throws invalid params if a required one is missing.
 */
export function fillPrompt(
  prompt: PromptFile,
  given: Readonly<Record<string, string>> = {},
): GetPromptResult {
  const missing = (prompt.listed.arguments ?? []).filter(({ name, required }) => required && !given[name])
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Required arguments: ${names}`)
  }
  const text = prompt.text.replaceAll(listOrPlaceholder, (...match: readonly unknown[]) => {
    const [whole, field, listed, alone] = match.slice(0, 4) as (string | undefined)[]
    const name = String(listed ?? alone)
    const value = given[name]
    if (value === undefined) return String(whole).replace(`{{${name}}}`, 'not said')
    if (listed === undefined) return value
    const items = namesOfFiles(prompt, name, value).map((one) => `{${field}: ${JSON.stringify(one)}}`)
    return `[${items.join(', ')}]`
  })
  const { description } = prompt.listed
  return { description, messages: [{ role: 'user', content: { type: 'text', text } }] }
}

/** The names in an argument: several where it accepts files. */
function namesOfFiles({ values }: PromptFile, argument: string, value: string): readonly string[] {
  const accepted = values.get(argument)
  if (!accepted || !('files' in accepted)) return [value]
  const names = value.split(/[,\n]/).map((name) => name.trim())
  return names.filter((name) => name !== '')
}

/** A list in a call, whose only item has one placeholder, or a placeholder elsewhere. */
const listOrPlaceholder = /\[\{("\w+"): "\{\{(\w+)\}\}"\}\]|\{\{(\w+)\}\}/g

const placeholder = /\{\{(\w+)\}\}/g

function placeholdersIn(text: string): string[] {
  return [...text.matchAll(placeholder)].flatMap(([, name]) => (name === undefined ? [] : [name]))
}
