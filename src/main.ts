import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import type { Command, Values } from './command-table.ts'
import { MediaError } from './contract/errors.ts'
import { freeBuffersSoon } from './platform/buffer-memory.ts'

freeBuffersSoon()
const { commandTable, UsageError } = await import('./command-table.ts')
const commands = await import('./commands.ts')

const everywhere: ParseArgsOptionsConfig = {
  help: { type: 'boolean', short: 'h' },
  'data-dir': { type: 'string' },
}

function help(): string {
  const shown = Object.entries(commandTable).filter(([, { summary }]) => summary !== undefined)
  const lines = shown.flatMap(([name, { summary = '', argument, help: options = [] }]) => [
    `  ${(argument === undefined ? name : `${name} <${argument}>`).padEnd(25)} ${summary}`,
    ...options.map(([option, meaning]) => `    ${option.padEnd(24)}${meaning}`),
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

async function main(args: readonly string[]): Promise<number> {
  const { name, rest } = split(args)
  if (name === '--version' || name === '-v') return print(`${await commands.packageVersion()}\n`)
  if (name === '--help' || name === '-h' || name === 'help') return print(help())
  const command = Object.hasOwn(commandTable, name) ? commandTable[name] : undefined
  if (!command) throw new UsageError(name === '' ? 'a command is missing' : `unknown command ${name}`)
  const { values, positionals } = parse(command, rest)
  if ('help' in values) return print(help())
  const [argument = '', ...more] = positionals
  if (command.argument !== undefined && (argument === '' || more.length > 0)) {
    throw new UsageError(`${name} takes one argument: <${command.argument}>`)
  }
  return (await command.run(values, argument)) ?? 0
}

/** A command's name is one word or two. */
function split([first = '', ...rest]: readonly string[]): { name: string; rest: readonly string[] } {
  const both = `${first} ${rest[0]}`
  return Object.hasOwn(commandTable, both) ? { name: both, rest: rest.slice(1) } : { name: first, rest }
}

function parse(
  { options, argument }: Command,
  args: readonly string[],
): { values: Values; positionals: readonly string[] } {
  const allowPositionals = argument !== undefined
  try {
    return parseArgs({ args: [...args], allowPositionals, options: { ...everywhere, ...options } })
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
