import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Finding } from '../src/doctor/finding.ts'
import { findChromium } from '../src/engines/chromium/locate.ts'
import { splitSearchPath } from '../src/platform/environment.ts'
import { manifest } from '../src/engines/packs/manifest.ts'
import { ageFile } from './http/chunked-upload-client.ts'
import { runCommand, spawnCommand, spawnWithClosedPipe } from './run-command.ts'
import { api } from './service/api.ts'
import { startTestService } from './service/in-process.ts'
import { sampleCases } from './soak-size.ts'

const root = dirname(import.meta.dirname)
const isBrowserMissing = findChromium(splitSearchPath(process.env['PATH'])) === undefined

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelwright-commands-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Variables that set a separate home and data folder for a command. */
function ownFolders(): Readonly<Record<string, string>> {
  return { HOME: folder, REELWRIGHT_DATA_DIR: join(folder, 'data') }
}

/** Runs `reelwright` in this process with a separate data folder. */
function reelwright(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return runCommand(args, { ...ownFolders(), ...environment })
}

/** Like `reelwright`, in a separate process. */
async function spawned(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return await spawnCommand(args, { ...ownFolders(), ...environment })
}

describe('reelwright', () => {
  it('prints its version', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
    const expected = { code: 0, out: `${version}\n` }
    expect(await reelwright(['--version'])).toMatchObject(expected)
    expect(await spawned(['--version'])).toMatchObject(expected)
  })

  it('prints help without the internal commands', async () => {
    const { code, out } = await reelwright(['--help'])
    expect(code).toBe(0)
    expect(out).toMatch(/^ {2}mcp .*\n[^]*^ {2}serve [^]*^ {2}doctor [^]*^ {2}diagnostics /m)
    expect(out).not.toMatch(/daemon|worker/)
  })

  it.each([
    [[], 'a command is missing'],
    [['fly'], 'unknown command fly'],
    [['constructor'], 'unknown command constructor'],
    [['keys'], 'unknown command keys; the commands are keys create, keys list, keys revoke'],
    [['keys', 'make'], 'unknown command keys make; the commands are keys create, keys list, keys revoke'],
    [['doctor', '--loud'], "Unknown option '--loud'"],
    [['doctor', 'now'], "Unexpected argument 'now'"],
    [['serve', '--port', '70000'], '--port 70000 is not a port'],
    [['clean', '--keep-days', '61'], '--keep-days must be a whole number from 0 to 60'],
  ])('%j is rejected with help and exit code 2', async (args, message) => {
    const { code, out, err } = await reelwright(args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
    expect(err).toContain('reelwright <command> [options]')
  })

  it.each([
    [['clean', '--help'], 0, 'out', ['clean']],
    [['keys', 'revoke', '--help'], 0, 'out', ['keys revoke']],
    [['keys', '--help'], 0, 'out', ['keys create', 'keys list', 'keys revoke']],
    [['keys', 'list', '--all'], 2, 'err', ['keys list']],
    [['keys'], 2, 'err', ['keys create', 'keys list', 'keys revoke']],
    [['serve', '--port', '70000'], 2, 'err', ['serve']],
  ] as const)('%j prints help for the named command only', async (args, exitCode, stream, expected) => {
    const ended = await reelwright(args)
    expect(ended.code).toBe(exitCode)
    const commands = [...ended[stream].matchAll(/^ {2}(\w+(?: \w+)?)(?: <\w+>)? {2,}\w/gm)]
    expect(commands.map(([, name]) => name)).toEqual(expected)
  })

  it('the daemon rejects a folder with other files and does not change it', async () => {
    const data = join(folder, 'data')
    await mkdir(data)
    await writeFile(join(data, 'mine.txt'), 'mine')
    const { code, err } = await spawned(['daemon', '--data-dir', data])
    expect([code, err]).toEqual([1, expect.stringContaining('it contains other files')])
    expect(await readdir(data)).toEqual(['mine.txt'])
  })

  it('reports an invalid setting without a stack', async () => {
    const { code, err } = await spawned(['serve'], { REELWRIGHT_PORT: 'x' })
    expect(code).toBe(1)
    expect(err).toMatch(/^reelwright: invalid configuration: REELWRIGHT_PORT: .*\nFix: /)
    expect(err).not.toContain('    at ')
  })
})

describe('reelwright doctor', () => {
  async function examine(environment: Readonly<Record<string, string>> = {}, run = reelwright) {
    const { code, out } = await run(['doctor', '--json'], environment)
    const findings = JSON.parse(out) as Finding[]
    return { code, findings, findingFor: (name: string) => findings.find((finding) => finding.name === name) }
  }

  it('reports what is installed, without starting or creating anything', async () => {
    const { code, findings, findingFor } = await examine()
    // Only operations that render HTML need Chromium. For root it runs without its sandbox.
    const browser = process.getuid?.() === 0 || isBrowserMissing ? 'note' : 'ok'
    expect(findingFor('chromium')?.detail.includes('without its sandbox')).toBe(
      process.getuid?.() === 0 && !isBrowserMissing,
    )
    const missing = (stops: readonly string[], fix: unknown, what = / is not installed/) => ({
      ...{ name: 'operations', state: 'note', stops, fix },
      detail: expect.stringMatching(new RegExp(`^${stops.join(', ')}: .*${what.source}`)) as string,
    })
    expect(findings.filter(({ stops }) => stops && !stops.includes('html_render_simple'))).toEqual([
      missing(
        ['audio_language_detect'],
        'reelwright models pull whisper-tiny',
        / is not installed \(9\d\.\d MiB\)/,
      ),
      missing(['audio_tts_zero_shot'], 'reelwright models pull zipvoice sense-voice'),
      missing(['material_embed'], 'reelwright models pull siglip2-base'),
      missing(
        ['video_long2short', 'video_long2short_pro'],
        expect.stringMatching(/^reelwright models pull sense-voice\. Or pass the transcript/),
      ),
      missing(['video_oral_cut'], 'reelwright models pull sense-voice'),
      missing(
        ['video_translate_dub'],
        'reelwright models pull zipvoice sense-voice voice-separation. ' +
          'With keep_bgm false voice-separation is not needed, and the dub has no music.',
      ),
    ])
    const others = findings.filter(({ stops }) => !stops)
    expect(others.map(({ name, state }) => [name, state])).toEqual([
      ['reelwright', 'ok'],
      ['workspace', 'ok'],
      ['ffmpeg', 'ok'],
      ['chromium', browser],
      ['data folder', 'ok'],
      ['service', 'ok'],
      ...Object.keys(manifest).map((name) => [`pack ${name}`, 'ok']),
      ['language model', 'ok'],
      ['transcription service', 'ok'],
      ['voice service', 'ok'],
      ['embedding service', 'ok'],
      ...['operations', 'operations', 'operations'].map((name) => [name, 'ok']),
    ])
    expect(others.filter(({ name }) => name === 'operations').map(({ detail }) => detail)).toEqual([
      'image_purify, material_describe, video_purify: ready after a download of 2.3 MiB (text-detection)',
      expect.stringMatching(/^piano_audio_enhance: ready after a download of 14 MiB/),
      expect.stringMatching(/^piano_audio_to_midi: ready after a download of 225 KiB/),
    ])
    expect(code).toBe(0)
    await expect(readFile(join(folder, 'data'))).rejects.toThrow('ENOENT')
  })

  it('reports a missing folder with the fix', async () => {
    const { code, findingFor } = await examine({ REELWRIGHT_WORKSPACE: join(folder, 'nowhere') })
    expect(code).toBe(1)
    expect(findingFor('workspace')).toMatchObject({
      state: 'missing',
      fix: expect.stringContaining('nowhere'),
    })
  })

  it('reports an unsuitable data folder', async () => {
    const { code, findingFor } = await examine({ REELWRIGHT_DATA_DIR: join(folder, 'Dropbox', 'data') })
    expect(code).toBe(1)
    expect(findingFor('data folder')).toMatchObject({
      state: 'missing',
      detail: expect.stringContaining('Dropbox'),
    })
  })

  it.runIf(process.platform === 'linux')('checks that the data folder is writable', async () => {
    const { code, findingFor } = await examine({ REELWRIGHT_DATA_DIR: '/proc/reelwright' })
    expect(code).toBe(1)
    expect(findingFor('data folder')).toMatchObject({
      state: 'missing',
      detail: expect.stringMatching(/^\/proc\/reelwright: \/proc is not writable .*ENOENT/),
      fix: expect.stringContaining('--data-dir'),
    })
  })

  it('reports a file in place of the data folder', async () => {
    const file = join(folder, 'data')
    await writeFile(file, '')
    expect((await examine()).findingFor('data folder')).toMatchObject({
      state: 'missing',
      detail: expect.stringContaining(`${file} is not a folder`),
    })
  })

  async function settings(content: unknown): Promise<string> {
    const file = join(folder, 'data', 'reelwright.config.json')
    await mkdir(join(folder, 'data'))
    await writeFile(file, JSON.stringify(content))
    return file
  }

  it('reports an invalid setting as a finding, with file and key', async () => {
    const file = await settings({ prot: 1 })
    const { code, findingFor } = await examine()
    expect(code).toBe(1)
    expect(findingFor('settings')).toMatchObject({
      state: 'missing',
      detail: expect.stringMatching(new RegExp(`${file}.*"prot"`)),
      fix: expect.stringContaining('port'),
    })
  })

  it('reports that the local service ignores REELWRIGHT_FFMPEG', async () => {
    const { code, findingFor } = await examine({ REELWRIGHT_FFMPEG: '/nowhere/ffmpeg' })
    expect(code).toBe(0)
    expect(findingFor('ffmpeg')).toMatchObject({
      state: 'note',
      detail: expect.stringMatching(/REELWRIGHT_FFMPEG.*reads "ffmpeg" from .*reelwright\.config\.json/),
    })
  })

  it('reports that the configured ffmpeg does not exist', async () => {
    await settings({ ffmpeg: '/nowhere/ffmpeg' })
    // In a separate process, because the configured program stays set until the process exits.
    const { code, findingFor } = await examine({}, spawned)
    expect(code).toBe(1)
    expect(findingFor('ffmpeg')).toMatchObject({
      state: 'missing',
      detail: expect.stringContaining('/nowhere/ffmpeg'),
    })
  })

  it('checks a remote service instead of this machine', async () => {
    const noKey = await examine({ REELWRIGHT_BASE_URL: 'http://127.0.0.1:9' })
    expect(noKey.findingFor('service')).toMatchObject({ state: 'missing', fix: 'set REELWRIGHT_API_KEY' })
    const unreachable = await examine({ REELWRIGHT_BASE_URL: 'http://127.0.0.1:9', REELWRIGHT_API_KEY: 'k' })
    expect(unreachable.code).toBe(1)
    expect(unreachable.findingFor('service')).toMatchObject({
      state: 'missing',
      fix: expect.stringMatching(/./),
    })
    expect(unreachable.findingFor('ffmpeg')).toBeUndefined()
  })

  it('prints findings as text, with the fix below each, and a folder once that is set twice', async () => {
    const nowhere = join(folder, 'nowhere')
    const environment = { REELWRIGHT_WORKSPACE: nowhere, REELWRIGHT_ALLOWED_DIRS: nowhere }
    const { out } = await reelwright(['doctor'], environment)
    expect(out).toMatch(/^MISSING {2}workspace .*nowhere.*\n +-> make .*nowhere/m)
    expect(out.trimEnd().split('\n').at(-1)).toBe('One thing is missing.')
  })
})

describe('reelwright models list', () => {
  it('lists operations that need packs installed on request, with the install command', async () => {
    const { code, out } = await reelwright(['models', 'list'])
    expect(code).toBe(0)
    expect(out).toMatch(/^whisper-tiny +on request /m)
    expect(out).toMatch(
      /^audio_language_detect: Whisper tiny is not installed .*\n {2}-> reelwright models pull whisper-tiny$/m,
    )
  })
})

describe('reelwright clean', () => {
  it('removes old files of the configured service and reports the freed bytes', async () => {
    await using service = await startTestService()
    const calls = api(service)
    const { data: old } = await calls.upload('a.txt', 'x'.repeat(2048))
    await calls.upload('b.txt', 'kept')
    await ageFile(service.running.service.db, old, 8 * 24 * 3600 * 1000)
    const serviceEnvironment = { REELWRIGHT_BASE_URL: service.baseUrl, REELWRIGHT_API_KEY: service.apiKey }
    expect(await spawned(['clean'], serviceEnvironment)).toMatchObject({
      code: 0,
      out: 'Removed 0 files, freed 0 bytes; 2 KiB still in use\n',
    })
    expect((await reelwright(['clean', '--keep-days', '7'], serviceEnvironment)).out).toBe(
      'Removed 1 file, freed 2 KiB; 4 bytes still in use\n',
    )
  })
})

describe('a closed pipe', () => {
  const commands = ['models list', '--help', 'keys list', 'keys --help', 'doctor --json']
  it.for(sampleCases(commands, 3))('ends reelwright %s quietly', async (command) => {
    const args = command.split(' ')
    const { code } = await reelwright(args)
    expect(await spawnWithClosedPipe(args, ownFolders())).toEqual({ code, err: '' })
  })
})
