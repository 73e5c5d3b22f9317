import type { ParseArgsOptionsConfig } from 'node:util'
import * as commands from './commands.ts'
import { parseList } from '../config/config.ts'
import { retentionDays } from '../contract/file.ts'
import { toolsets } from '../contract/operation.ts'
import type * as Models from './models.ts'

/** A command of `reelwright`. */
export interface Command {
  /** Left out for what only reelwright itself starts. */
  readonly summary?: string
  readonly options?: ParseArgsOptionsConfig
  /** Each option with its value, for the help. */
  readonly help?: readonly (readonly [string, string])[]
  /** What its one argument is, where it takes one; one that ends with … may come several times. */
  readonly argument?: string
  /** Runs the command; a number is the exit code. */
  readonly run: (values: Values, argument: string, more: readonly string[]) => Promise<number | void>
}

/** Parsed options, by what their declaration makes of them. */
export interface Values {
  readonly 'data-dir'?: string
  readonly 'allow-dir'?: string[]
  readonly http?: boolean
  readonly toolsets?: string
  readonly tools?: string
  readonly 'read-only'?: boolean
  readonly host?: string
  readonly port?: string
  readonly 'public-url'?: string
  readonly ffmpeg?: string
  readonly packs?: string
  readonly json?: boolean
  readonly output?: string
  readonly 'with-names'?: boolean
  readonly name?: string
  readonly account?: string
  readonly quota?: string
  readonly 'keep-days'?: string
  readonly days?: string
}

/** Every command by its name, which is one word or two. */
export const commandTable: Readonly<Record<string, Command>> = {
  mcp: {
    summary: 'serve MCP over stdin and stdout: what an MCP client starts; with --http, clients elsewhere',
    options: {
      http: { type: 'boolean' },
      host: { type: 'string' },
      port: { type: 'string' },
      'public-url': { type: 'string' },
      'allow-dir': { type: 'string', multiple: true },
      toolsets: { type: 'string' },
      tools: { type: 'string' },
      'read-only': { type: 'boolean' },
    },
    help: [
      ['--allow-dir <folder>', 'folder agents may read and write; repeatable'],
      ['--toolsets <list>', `only tools of these groups: ${toolsets.join(',')}`],
      ['--tools <list>', 'only these tools, or these beside the groups'],
      ['--read-only', 'only tools that change nothing'],
      ['--http', 'serve streamable HTTP instead: each caller with its own key of the service'],
      ['--host <address>', 'with --http: address to listen on (127.0.0.1); another needs --public-url'],
      ['--port <number>', 'with --http: port to listen on (8788); 0 takes a free one'],
      ['--public-url <url>', 'with --http: https address of the TLS proxy in front, which clients use'],
    ],
    run: serveMcp,
  },
  serve: {
    summary: 'run the media service in the foreground, with an address and key of your choice',
    options: { host: { type: 'string' }, port: { type: 'string' }, 'public-url': { type: 'string' } },
    help: [
      ['--host <address>', 'address to listen on (127.0.0.1); another needs --public-url'],
      ['--port <number>', 'port to listen on (8787); 0 takes a free one'],
      ['--public-url <url>', 'https address of the TLS proxy in front, which clients use'],
    ],
    run: (values) =>
      commands.serve({
        dataDir: values['data-dir'],
        host: values.host,
        port: portOf(values),
        publicUrl: values['public-url'],
      }),
  },
  page: {
    summary: 'print an address that opens the page for people, signed in; once, within a minute',
    run: (values) => commands.page(values['data-dir']),
  },
  doctor: {
    summary: 'tell what is there, what is missing, and the command that brings it',
    options: { json: { type: 'boolean' } },
    help: [['--json', 'as JSON']],
    run: (values) => commands.doctor({ dataDir: values['data-dir'], json: values.json }),
  },
  diagnostics: {
    summary: 'write what helps to find a fault into one text, to be read and sent with a report',
    options: { output: { type: 'string' }, 'with-names': { type: 'boolean' } },
    help: [
      ['--output <file>', 'file to write; by default a new one in the current folder'],
      ['--with-names', 'keep the names of files and folders'],
    ],
    run: async ({ 'data-dir': dataDir, output, 'with-names': withNames }) => {
      const { diagnostics } = await import('./diagnostics.ts')
      await diagnostics({ dataDir, output, withNames })
    },
  },
  'keys create': {
    summary: 'make an API key of a service here, and its account, and print it once',
    options: {
      name: { type: 'string' },
      account: { type: 'string' },
      quota: { type: 'string' },
      days: { type: 'string' },
    },
    help: [
      ['--name <name>', 'what the key is called in the list'],
      ['--account <name>', 'account it speaks for (local)'],
      ['--quota <credits>', 'credits its tasks may cost in all; no bound but the balance'],
      ['--days <days>', 'days until it ends by itself; otherwise it does not'],
    ],
    run: (values) =>
      commands.administer(values['data-dir'], ({ createKey }, config) =>
        createKey(config, {
          name: given('name', values.name),
          account: values.account,
          ...(values.quota !== undefined && { quota: creditsOf('--quota', values.quota, 0) }),
          days: daysOf('--days', values.days, { least: 1, most: 3650 }),
        }),
      ),
  },
  'keys list': {
    summary: 'tell the keys, without the keys themselves',
    run: (values) => commands.administer(values['data-dir'], ({ tellKeys }, config) => tellKeys(config)),
  },
  'keys revoke': {
    summary: 'make a key invalid',
    argument: 'id',
    run: (values, id) => commands.administer(values['data-dir'], ({ endKey }, config) => endKey(config, id)),
  },
  'models list': {
    summary:
      'tell the models and engines: what is there, what each is for and takes; and which operations lack any',
    run: (values) => withPacks(values, ({ listPacks }, subject) => listPacks(subject)),
  },
  'models pull': {
    summary: 'bring models or engines, or repair them; goes on where an earlier pull ended',
    argument: 'name…',
    run: (values, name, more) =>
      withPacks(values, ({ pullAll }, subject) => pullAll(subject, [name, ...more])),
  },
  'models verify': {
    summary: 'read every model and engine that is there, and tell which is damaged',
    run: (values) => withPacks(values, ({ verifyPacks }, { packs }) => verifyPacks(packs)),
  },
  'models remove': {
    summary: 'remove what was pulled of a model or engine',
    argument: 'name',
    run: (values, name) => withPacks(values, ({ removeOne }, { packs }) => removeOne(packs, name)),
  },
  setup: {
    summary: 'bring the models and engines that most operations need, and name what brings the others',
    run: (values) => withPacks(values, ({ setUp }, subject) => setUp(subject)),
  },
  'credits grant': {
    summary: 'give credits to an account, and tell its balance',
    argument: 'credits',
    options: { account: { type: 'string' } },
    help: [['--account <name>', 'account they are for']],
    run: (values, credits) =>
      commands.administer(values['data-dir'], ({ grantCredits }, config) =>
        grantCredits(config, {
          account: given('account', values.account),
          amount: creditsOf('<credits>', credits, 1),
        }),
      ),
  },
  clean: {
    summary: 'free space: remove files that have expired, or older ones',
    options: { 'keep-days': { type: 'string' } },
    help: [['--keep-days <days>', 'keep what was uploaded, used again or made in so many days (60)']],
    run: (values) =>
      commands.clean({
        dataDir: values['data-dir'],
        keepDays: daysOf('--keep-days', values['keep-days'], { least: 0, most: retentionDays }),
      }),
  },
  daemon: { run: (values) => commands.daemon({ dataDir: values['data-dir'] }) },
  worker: {
    options: { ffmpeg: { type: 'string' }, packs: { type: 'string' } },
    run: async ({ ffmpeg, packs }) => {
      const { runWorkerProcess: workAsTold } = await import('../service/engine-settings.ts')
      await workAsTold({ ffmpeg, packs })
    },
  },
}

/** A call that makes no sense; told with a pointer to the help. */
export class UsageError extends Error {}

/** Over stdio there is nothing to listen on, and over HTTP there are no folders. */
function serveMcp(values: Values): Promise<void> {
  const { http = false, 'data-dir': dataDir, 'allow-dir': allowDirs } = values
  const others = http ? (['allow-dir'] as const) : (['host', 'port', 'public-url'] as const)
  const misplaced = others.find((name) => values[name] !== undefined)
  if (misplaced) throw new UsageError(`--${misplaced} goes ${http ? 'without' : 'with'} --http`)
  const options = {
    toolsets: values.toolsets && parseList(values.toolsets),
    tools: values.tools && parseList(values.tools),
    read_only: values['read-only'],
  }
  if (!http) return commands.mcp({ dataDir, allowDirs, options })
  const reached = { host: values.host, public_url: values['public-url'] }
  return commands.mcpHttp({ dataDir, port: portOf(values), options: { ...options, ...reached } })
}

/** Does something about the models and engines of the data folder. */
async function withPacks(
  values: Values,
  act: (models: typeof Models, subject: Models.Subject) => Promise<number | void>,
): Promise<number | void> {
  const models = await import('./models.ts')
  return await act(models, await models.readSubject(values['data-dir']))
}

function portOf({ port }: Values): number | undefined {
  if (port === undefined) return undefined
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port)
  throw new UsageError(`--port ${port} is not a port`)
}

function daysOf(
  option: string,
  days: string | undefined,
  { least, most }: { least: number; most: number },
): number | undefined {
  if (days === undefined) return undefined
  if (/^\d{1,4}$/.test(days) && Number(days) >= least && Number(days) <= most) return Number(days)
  throw new UsageError(`${option} must be a whole number from ${least} to ${most}`)
}

function given(option: string, value: string | undefined): string {
  if (value !== undefined) return value
  throw new UsageError(`--${option} is missing`)
}

/** Below a trillion, so that sums stay exact. */
function creditsOf(what: string, value: string, least: number): number {
  if (/^\d{1,12}$/.test(value) && Number(value) >= least) return Number(value)
  throw new UsageError(`${what} must be a whole number of credits, from ${least} and of at most 12 digits`)
}
