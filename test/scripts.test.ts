import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const root = dirname(import.meta.dirname)
const runner = join(root, 'scripts', 'run.mjs')

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelwright-scripts-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Runs the script behind `npm run …` without a terminal. */
async function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  cwd: string = root,
) {
  return runExecutable(process.execPath, [runner, ...args], { environment, cwd })
}

async function runExecutable(
  executable: string,
  args: readonly string[],
  { environment = {}, cwd = root }: { environment?: Readonly<Record<string, string>>; cwd?: string } = {},
) {
  const { CI: _, ...inherited } = process.env
  const env = { ...inherited, ...environment }
  const child = spawn(executable, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: Number(code), out, err }
}

async function program(name: string, script: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`)
  await chmod(join(folder, name), 0o755)
}

it('accepts every command of reelwright, and lists the commands for an unknown one', async () => {
  const [help, { code, err }] = await Promise.all([run(['--help']), run(['nonsense'])])
  expect(code).toBe(1)
  expect(err).toContain('demo, test, test:soak, check, gen, build, bench, mcp, serve, doctor')
  const names = [...help.out.matchAll(/^ {2}(\w+)(?: [\w<>]+)* {2,}\w/gm)].map(([, name]) => name)
  expect(names).toEqual(expect.arrayContaining(['diagnostics', 'keys']))
  expect(names.filter((name) => !new RegExp(`[ ,]${name}\\b`).test(err))).toEqual([])
})

it('serves MCP as configured in mcp.json, with only the protocol on stdout', async () => {
  const file = JSON.parse(await readFile(join(root, 'mcp.json'), 'utf8')) as {
    mcpServers: { reelwright: { command: string; args: string[] } }
  }
  const { command, args } = file.mcpServers.reelwright
  const client = new Client({ name: 'test', version: '1' })
  const errors: Error[] = []
  Object.assign(client, { onerror: (error: Error) => errors.push(error) })
  await client.connect(
    new StdioClientTransport({ command, args: [...args, '--data-dir', folder], cwd: root, stderr: 'ignore' }),
  )
  const { tools } = await client.listTools()
  await client.close()
  expect(tools.map(({ name }) => name)).toContain('video_split_screen')
  expect(errors).toEqual([])
})

it('resolves paths from the folder of the caller, and proposes commands with them', async () => {
  const { code, out } = await run(['doctor', '--json', '--data-dir', 'here'], { HOME: folder }, folder)
  const place = join(folder, 'here')
  expect(JSON.parse(out)).toContainEqual(
    expect.objectContaining({ name: 'data folder', detail: expect.stringContaining(place) }),
  )
  expect(JSON.parse(out)).toContainEqual(
    expect.objectContaining({
      fix: expect.stringContaining(`models pull zipvoice sense-voice --data-dir ${place}`),
    }),
  )
  expect(code).toBe(0)
})

it('ends a test run with one line that counts passed, failed and skipped tests', async () => {
  await writeFile(
    join(folder, 'a.test.js'),
    "it('a', () => {}); it('b', () => { throw 1 }); it.skip('c', () => {})",
  )
  await writeFile(join(folder, 'b.test.js'), "import './nothing.js'")
  const { code, out } = await run(['test', '--root', folder, '--globals'])
  expect(out.trimEnd().split('\n').at(-1)).toBe('1 passed, 2 failed, 1 skipped')
  expect(code).toBe(1)
})

it('lists errors between tests and of hooks, which fail the run', async () => {
  await writeFile(
    join(folder, 'a.test.js'),
    "it('a', () => { Promise.reject(new Error('unobserved')) }); it('b', () => new Promise(setImmediate))",
  )
  await writeFile(
    join(folder, 'b.test.js'),
    "describe('c', () => { afterAll(() => { throw new Error('left') }); it('d', () => {}) })",
  )
  const { code, out } = await run(['test', '--root', folder, '--globals'])
  const [, failures] = out.split('Failed tests:\n')
  expect(failures).toMatch(
    /^ {2}b\.test\.js: c \(left\)\n {2}a\.test\.js: unhandled error .*\(unobserved, at /,
  )
  expect(out.trimEnd().split('\n').at(-1)).toBe('3 passed, 1 failed')
  expect(code).toBe(1)
})

describe('the language check', () => {
  const phrase = ['nothing', 'but']
  const exception = { file: 'page.md', phrase: phrase.join(' ') }

  /** Runs a copy of the check in a repository of the test. */
  const check = async (files: Readonly<Record<string, string>>, exceptions: readonly object[] = []) => {
    const language = join(folder, 'scripts', 'language')
    await cp(join(root, 'scripts', 'language'), language, { recursive: true })
    await writeFile(join(language, 'exceptions.json'), JSON.stringify(exceptions))
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
    await runExecutable('git', ['init', '--quiet', folder])
    return runExecutable(process.execPath, [join(language, 'check.mjs')])
  }

  it('reports a discouraged phrase with its place in docs, JSON, template texts, and across the lines of a comment', async () => {
    const sentence = `The file has ${phrase.join(' ')} text.`
    const { code, err } = await check({
      'page.md': sentence,
      'texts.json': JSON.stringify({ text: sentence }),
      'template.ts': `const text = \`\n${sentence}\``,
      'code.ts': `let a\n// The file has ${phrase.join('\n// ')} text.\n`,
    })
    expect(code).toBe(1)
    expect(err).toMatch(/page\.md:1: /)
    expect(err).toMatch(/texts\.json:1: /)
    expect(err).toMatch(/template\.ts:2: /)
    expect(err).toMatch(/code\.ts:2: .*; use: only/)
  })

  it('accepts plain English, and a phrase that an exception names for its file, with a reason', async () => {
    const files = {
      'page.md': `The file has ${phrase.join(' ')} text.\n`,
      'plain.md': 'The file contains only text.\n',
    }
    expect(await check(files, [{ ...exception, reason: 'A title.' }])).toMatchObject({ code: 0, err: '' })
    expect((await check(files, [exception])).err).toContain('exception without a reason: page.md')
    expect((await check(files, [{ ...exception, file: 'other.md', reason: 'A title.' }])).err).toMatch(
      /page\.md:1: [^]*unused exception: other\.md/,
    )
  })

  it('reports an exception that matches nothing', async () => {
    const { code, err } = await check({ 'page.md': 'Text.\n' }, [{ ...exception, reason: 'A title.' }])
    expect(code).toBe(1)
    expect(err).toContain('unused exception: page.md')
  })
})

// A program in these folders is found without PATH and cannot be hidden.
const folders = ['/usr/local/bin', '/home/linuxbrew/.linuxbrew/bin']
const canHideFfmpeg =
  process.platform === 'linux' && !folders.some((path) => existsSync(join(path, 'ffmpeg')))

describe.skipIf(!canHideFfmpeg)('where ffmpeg is missing', () => {
  beforeEach(() => symlink('/bin/sh', join(folder, 'sh')))

  it('reports the install command and does not run it with REELWRIGHT_SETUP=no', async () => {
    await program('apt-get', `echo called >> ${folder}/calls`)
    const { code, err } = await run(['demo'], { PATH: folder, REELWRIGHT_SETUP: 'no', CI: 'true' })
    expect(code).toBe(1)
    expect(err).toMatch(/ffmpeg is missing[^]*apt-get .*install .*ffmpeg/)
    await expect(readFile(join(folder, 'calls'))).rejects.toThrow('ENOENT')
  })

  it('installs it automatically in CI, then continues', async () => {
    const install = `for name in ffmpeg ffprobe; do echo > ${folder}/$name; /bin/chmod +x ${folder}/$name; done`
    await program('apt-get', `echo "$@" >> ${folder}/calls\n${install}`)
    await program('sudo', 'exec "$@"')
    const { err } = await run(['bench'], { PATH: folder, CI: 'true' })
    const calls = (await readFile(join(folder, 'calls'), 'utf8')).trimEnd().split('\n')
    expect(calls).toEqual([expect.stringContaining('update'), expect.stringMatching(/install .*ffmpeg$/)])
    expect(err).toContain('npm run bench -- <name>')
  })
})

it('fails when there are no tests', async () => {
  const { code, out } = await run(['test', '--root', folder])
  expect(out.trimEnd().split('\n').at(-1)).toBe('0 passed, 1 failed')
  expect(code).toBe(1)
})

// Browsers in these paths cannot be hidden either.
const browsers = ['/usr/local/bin/google-chrome', '/usr/local/bin/chromium', '/usr/lib64/chromium-browser']

describe.skipIf(!canHideFfmpeg || browsers.some((path) => existsSync(path)))('for tests in a browser', () => {
  beforeEach(async () => {
    await symlink('/bin/sh', join(folder, 'sh'))
    for (const name of ['ffmpeg', 'ffprobe', 'apt-get', 'initdb', 'postgres', 'espeak-ng', 'as', 'ld'])
      await program(name, 'exit 1')
    await program(
      'fc-list',
      "printf 'Droid Sans Fallback\\nDejaVu Sans,DejaVu Sans Condensed\\nLiberation Sans\\n'",
    )
  })
  const test = (setup: Readonly<Record<string, string>>) =>
    run(['test', '--root', folder], { PATH: folder, HOME: folder, ...setup })

  it('a missing Chromium and missing fonts are reported with the install command, and tests continue without them', async () => {
    await program('fc-list', '')
    const { err } = await test({ REELWRIGHT_SETUP: 'no' })
    expect(err).toMatch(/chromium is missing[^]*apt-get .*install .*chromium-headless-shell/)
    expect(err).toMatch(
      /fonts are missing \(no font Droid Sans Fallback in fc-list, [^]*apt-get .*install .*fonts-droid-fallback .*fonts-liberation/,
    )
    expect(err).toContain('Continuing without it')
  })

  it('an installer that does not start counts as missing', async () => {
    await writeFile(join(folder, 'apt-get'), '#!/no/such/interpreter\n')
    const { err } = await test({ CI: 'true' })
    expect(err).toMatch(/chromium is missing[^]*Continuing without it/)
  })

  it('any Chromium-based browser is accepted', async () => {
    await program('google-chrome', '')
    expect((await test({ REELWRIGHT_SETUP: 'no' })).err).not.toContain('is missing')
  })
})
