import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import * as commands from './commands.ts'
import { MediaError } from './contract/errors.ts'

interface Command {
  /** Left out for what only reelwright itself starts. */
  readonly summary?: string
  readonly options?: ParseArgsOptionsConfig
  /** Each option with its value, for the help. */
  readonly help?: readonly (readonly [string, string])[]
  /** Runs the command; a number is the exit code. */
  readonly run: (values: Values) => Promise<number | void>
}

/** Parsed options, by what their declaration makes of them. */
interface Values {
  readonly 'data-dir'?: string
  readonly 'allow-dir'?: string[]
  readonly host?: string
  readonly port?: string
  readonly 'public-url'?: string
  readonly ffmpeg?: string
  readonly json?: boolean
  readonly output?: string
  readonly 'with-names'?: boolean
}

const everywhere: ParseArgsOptionsConfig = {
  help: { type: 'boolean', short: 'h' },
  'data-dir': { type: 'string' },
}

const table: Readonly<Record<string, Command>> = {
  mcp: {
    summary: 'serve MCP over stdin and stdout: what an MCP client starts',
    options: { 'allow-dir': { type: 'string', multiple: true } },
    help: [['--allow-dir <folder>', 'folder agents may read and write; repeatable']],
    run: (values) => commands.mcp({ dataDir: values['data-dir'], allowDirs: values['allow-dir'] }),
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
  daemon: { run: (values) => commands.daemon({ dataDir: values['data-dir'] }) },
  worker: {
    options: { ffmpeg: { type: 'string' } },
    run: (values) => commands.worker({ ffmpeg: values.ffmpeg }),
  },
}

/** A call that makes no sense; told with a pointer to the help. */
class UsageError extends Error {}

function portOf({ port }: Values): number | undefined {
  if (port === undefined) return undefined
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port)
  throw new UsageError(`--port ${port} is not a port`)
}

function help(): string {
  const shown = Object.entries(table).filter(([, { summary }]) => summary !== undefined)
  const lines = shown.flatMap(([name, { summary = '', help: options = [] }]) => [
    `  ${name.padEnd(13)}${summary}`,
    ...options.map(([option, meaning]) => `    ${option.padEnd(22)}${meaning}`),
  ])
  return [
    'reelwright <command> [options]',
    '',
    ...lines,
    '',
    'Every command takes --data-dir <folder> (or REELWRIGHT_DATA_DIR). --version tells the version.',
    '',
  ].join('\n')
}

async function main([name = '', ...rest]: readonly string[]): Promise<number> {
  if (name === '--version' || name === '-v') return print(`${await commands.packageVersion()}\n`)
  if (name === '--help' || name === '-h' || name === 'help') return print(help())
  const command = Object.hasOwn(table, name) ? table[name] : undefined
  if (!command) throw new UsageError(name === '' ? 'a command is missing' : `unknown command ${name}`)
  const values = parse(command, rest)
  if ('help' in values) return print(help())
  return (await command.run(values)) ?? 0
}

function parse({ options }: Command, args: readonly string[]): Values {
  try {
    return parseArgs({ args: [...args], options: { ...everywhere, ...options } }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

function tell(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`reelwright: ${error.message}\n\n${help()}`)
    return 2
  }
  if (!(error instanceof MediaError)) throw error
  process.stderr.write(`reelwright: ${error.message}\nFix: ${error.hint}\n`)
  return 1
}

process.exitCode = await main(process.argv.slice(2)).catch(tell)
