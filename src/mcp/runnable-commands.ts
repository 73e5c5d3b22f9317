import type { Client } from '../client/client.ts'
import { MediaError } from '../contract/errors.ts'
import { isRecord } from '../contract/validation.ts'

/** How the local service's program is run from a shell, and where its data is. */
export interface LocalProgram {
  /** Words before the command, such as `node` and a path, or `reelwright` if it is on the PATH. */
  readonly launcher: readonly string[]
  /** Data folder that a command must be given; undefined for the default one. */
  readonly dataDir: string | undefined
  readonly settingsFile: string
}

/** Rewrites a text for the agent. The same text again is left unchanged. */
export type TextRewriter = (text: string) => string

/** A command between backquotes, with all its arguments. */
const quotedCommand = /`reelwright ((?:models|setup|doctor|page|credits|keys|library)\b[^`\n]*)`/g

/** A command in plain text, where only a subcommand and names of packs follow. */
const plainCommand =
  /(?<![\w./`'"-])reelwright ((?:models(?: (?:list|verify|(?:pull|remove)(?: (?!(?:and|or|then)\b)[a-z\d](?:[\w.-]*\w)?)*))?|(?:credits|keys)(?: (?:create|list|revoke|grant))?|setup|doctor|page)\b)( --data-dir)?/g

/** The settings file, as services name it for callers elsewhere. */
const settingsPattern =
  /(?<![\w./\\-])reelwright\.config\.json(?: of the data folder)?(?:, which `reelwright doctor` names)?/g

/** Returns a rewriter that makes commands of `reelwright` runnable, and names the path of the settings file. */
export function runnableTexts({ launcher, dataDir, settingsFile }: LocalProgram): TextRewriter {
  const start = launcher.map(shellWord).join(' ')
  const option = dataDir === undefined ? '' : ` --data-dir ${shellWord(dataDir)}`
  const runnable = (command: string): string => `${start} ${command}${option}`
  return (text) =>
    text
      .replaceAll(settingsPattern, () => shellWord(settingsFile))
      .replaceAll(quotedCommand, (whole, command: string) =>
        command.includes(' --data-dir ') ? whole : `\`${runnable(command)}\``,
      )
      .replaceAll(plainCommand, (whole, command: string, given?: string) =>
        given === undefined ? `\`${runnable(command)}\`` : whole,
      )
}

/** A word of a shell command, quoted where necessary. */
function shellWord(word: string): string {
  if (process.platform === 'win32') return /[\s&^]/.test(word) ? `"${word}"` : word
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** A client whose errors, and reasons, hints and notes of responses, are rewritten. */
export function rewritingClient(client: Client, rewrite: TextRewriter): Client {
  async function rewriteErrors<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      throw rewriteError(error, rewrite)
    }
  }
  return {
    call: async (route, request) => rewriteFields(await rewriteErrors(client.call(route, request)), rewrite),
    send: (request) => rewriteErrors(client.send(request)),
    openEvents: () => rewriteErrors(client.openEvents()),
    close: () => client.close(),
  }
}

/** The same error with its texts rewritten; other values unchanged. */
export function rewriteError(error: unknown, rewrite: TextRewriter): unknown {
  if (!(error instanceof MediaError)) return error
  const { code, message, hint, cause, retryable, retryAfter } = error
  const [newMessage, newHint] = [rewrite(message), rewrite(hint)]
  if (newMessage === message && newHint === hint) return error
  return new MediaError(code, newMessage, { cause, hint: newHint, retryable, retryAfter })
}

/** Fields that advise the user; others, such as names of files, are data. */
const adviceFields: ReadonlySet<string> = new Set(['missing', 'message', 'hint', 'notes'])

function rewriteFields<T>(value: T, rewrite: TextRewriter, isAdvice?: boolean): T
function rewriteFields(value: unknown, rewrite: TextRewriter, isAdvice = false): unknown {
  if (typeof value === 'string') return isAdvice ? rewrite(value) : value
  if (Array.isArray(value)) return value.map((item: unknown) => rewriteFields(item, rewrite, isAdvice))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, rewriteFields(item, rewrite, adviceFields.has(name))]),
  )
}
