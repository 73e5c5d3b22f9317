// Behind `npm run demo|test|test:soak|check|gen|build|bench`, and `reelwright` itself where only a clone is
// there: `node scripts/run.mjs mcp|serve|doctor|…`. Plain JavaScript for any Node >= 18, without
// dependencies: it installs what is missing (Node, packages, programs), then runs the command.
// Only the command writes to stdout.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from './build.mjs'
import { bundle } from './bundle.mjs'
import { runChecks } from './checks.mjs'
import { ensurePackages } from './setup/packages.mjs'
import { ensurePrograms } from './setup/programs.mjs'
import { ensureNode } from './setup/runtime.mjs'
import { inForeground, SetupError } from './setup/process.mjs'
import { runTests } from './tests.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const testPrograms = {
  requires: ['ffmpeg'],
  optional: [
    ...['postgresql', 'chromium'],
    // Other systems come with a desktop and its fonts.
    ...(process.platform === 'linux' ? ['a whole Chromium', 'espeak-ng', 'binutils', 'fonts'] : []),
  ],
}

/** Each command: the programs it requires, the ones it can do without, and `run`, which returns the exit code. */
const commands = {
  demo: {
    requires: ['ffmpeg'],
    run: ({ node, env }, rest) => inForeground(node, ['src/commands/demo.ts', ...rest], { cwd: root, env }),
  },
  test: { ...testPrograms, run: (tools, rest) => runTests(root, tools, ['--project=!soak', ...rest]) },
  'test:soak': { ...testPrograms, run: runSoak },
  check: { run: (tools) => runChecks(root, tools) },
  gen: { run: ({ node, env }, rest) => inForeground(node, ['src/gen/gen.ts', ...rest], { cwd: root, env }) },
  build: {
    run: (tools, [what, ...rest]) =>
      what === 'mcpb'
        ? bundle(root, tools, rest)
        : build(root, tools, what === undefined ? [] : [what, ...rest]),
  },
  bench: { requires: ['ffmpeg'], run: bench },
  ...Object.fromEntries(
    [
      ...['mcp', 'serve', 'doctor', 'page', 'diagnostics', 'keys', 'credits', 'accounts'],
      ...['library', 'clean', 'models', 'setup'],
    ].map((name) => [name, { run: (tools, rest) => reelwright(tools, [name, ...rest]) }]),
  ),
}

/** Arguments that print the help or the version of reelwright. */
const helpArguments = ['help', '--help', '-h', '--version', '-v']

/** reelwright reports missing programs itself. Relative paths in the arguments start from the caller's folder. */
function reelwright({ node, env }, args) {
  return inForeground(node, [join(root, 'src', 'main.ts'), ...args], { env })
}

/** Runs the long suites, and all cases of the others; with `--short` only the long suites, in a fraction of the time. */
function runSoak({ node, env }, rest) {
  const isShort = rest.includes('--short')
  const files = rest.filter((argument) => argument !== '--short')
  const tools = { node, env: { ...env, SOAK_LENGTH: isShort ? 'short' : 'full' } }
  return runTests(root, tools, [...(isShort ? ['--project=soak'] : []), ...files])
}

function bench({ node, env }, [name, ...rest]) {
  if (!name) throw new SetupError('npm run bench -- <name>: runs bench/<name>.ts')
  return inForeground(node, [join('bench', `${name}.ts`), ...rest], { cwd: root, env })
}

async function main([name, ...rest]) {
  const command = helpArguments.includes(name)
    ? { run: (tools) => reelwright(tools, [name]) }
    : commandOf(name)
  const node = await ensureNode(root)
  await ensurePackages(root, node)
  const folders = [
    dirname(node),
    ...(await ensurePrograms(command.requires ?? [], { required: true })),
    ...(await ensurePrograms(command.optional ?? [], { required: false })),
  ]
  return command.run({ node, env: withPath(folders) }, rest)
}

function commandOf(name = '') {
  if (Object.hasOwn(commands, name)) return commands[name]
  const what = name === '' ? 'a command is missing' : `unknown command ${name}`
  throw new SetupError(`${what}; one of ${Object.keys(commands).join(', ')}`)
}

/** The environment with folders prepended to PATH, which Windows spells in several ways. */
function withPath(folders) {
  const name = Object.keys(process.env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH'
  const separator = process.platform === 'win32' ? ';' : ':'
  return { ...process.env, [name]: [...folders, process.env[name] ?? ''].join(separator) }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`\n${error.message}`)
  process.exitCode = 1
}
