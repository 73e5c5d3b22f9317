import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  ProtocolError,
  ProtocolErrorCode,
  type GetPromptResult,
  type Prompt,
} from '@modelcontextprotocol/server'
import { fileKinds, type FileKind } from '../contract/file-kind.ts'

/** What an argument of a prompt may be: words to choose from, or files of the workspace by their kinds. */
export type ArgumentValues = { readonly words: readonly string[] } | { readonly files: readonly FileKind[] }

/** A prompt: what clients list, and its text with `{{argument}}` places. */
export interface PromptFile {
  readonly listed: Prompt
  /** By argument; none for those that take any text. */
  readonly values: ReadonlyMap<string, ArgumentValues>
  readonly text: string
}

/** Reads every `*.md` of a folder, by name. A file that breaks the form throws, naming the file. */
export async function loadPrompts(folder: string): Promise<ReadonlyMap<string, PromptFile>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).toSorted()
  const prompts = await Promise.all(
    names.map(async (name) => parsePrompt(await readFile(join(folder, name), 'utf8'), name)),
  )
  return new Map(prompts.map((prompt) => [prompt.listed.name, prompt]))
}

/**
 * Parses a prompt file: front matter with name, title, description and arguments (`  name: what it is`, a `?`
 * after the name for an optional one, then `[files: video, image]` or `[one word, another]` where values are
 * known), then the text.
 */
export function parsePrompt(source: string, file: string): PromptFile {
  const parts = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(source.replaceAll('\r\n', '\n'))
  const [, head = '', text = ''] = parts ?? []
  const fields = new Map<string, string>()
  const args: NonNullable<Prompt['arguments']> = []
  const values = new Map<string, ArgumentValues>()
  for (const line of head.split('\n')) {
    const [, indent, key, optional, listed, value = ''] =
      /^( *)([\w-]+)(\?)?(?: \[(.*?)\])?: *(.*)$/.exec(line) ?? []
    if (key === undefined) throw new TypeError(`${file}: front matter expected, got ${JSON.stringify(line)}`)
    if (indent === '') fields.set(key, value)
    else {
      args.push({ name: key, description: value, required: optional === undefined })
      if (listed !== undefined) values.set(key, parseArgumentValues(listed, file))
    }
  }
  const [name, title, description] = ['name', 'title', 'description'].map((key) => fields.get(key))
  if (!name || !title || !description) throw new TypeError(`${file}: name, title and description are needed`)
  for (const place of placeholdersIn(text)) {
    if (!args.some((arg) => arg.name === place))
      throw new TypeError(`${file}: {{${place}}} is not an argument`)
  }
  return { listed: { name, title, description, arguments: args }, values, text: text.trim() }
}

function parseArgumentValues(listed: string, file: string): ArgumentValues {
  const [, isFiles, items = ''] = /^(files: )?(.*)$/.exec(listed) ?? []
  const words = items.split(',').map((word) => word.trim())
  if (isFiles === undefined) return { words }
  const files = words.map((word) => {
    const kind = fileKinds.find((each) => each === word)
    if (!kind) throw new TypeError(`${file}: ${word} is no kind of file; there are ${fileKinds.join(', ')}`)
    return kind
  })
  return { files }
}

/** Fills a prompt's places; an argument left out reads "not said". Throws invalid params for a missing one. */
export function fillPrompt(
  prompt: PromptFile,
  given: Readonly<Record<string, string>> = {},
): GetPromptResult {
  const missing = (prompt.listed.arguments ?? []).filter(({ name, required }) => required && !given[name])
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Required arguments: ${names}`)
  }
  const text = prompt.text.replaceAll(placeholder, (_, name: string) => given[name] ?? 'not said')
  const { description } = prompt.listed
  return { description, messages: [{ role: 'user', content: { type: 'text', text } }] }
}

const placeholder = /\{\{(\w+)\}\}/g

function placeholdersIn(text: string): string[] {
  return [...text.matchAll(placeholder)].flatMap(([, name]) => (name === undefined ? [] : [name]))
}
