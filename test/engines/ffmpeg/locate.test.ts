import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MediaError } from '../../../src/contract/errors.ts'
import { findUsableFfmpeg, relocateFfmpeg, locateFfmpeg } from '../../../src/engines/ffmpeg/locate.ts'
import { operations } from '../../../tools/index.ts'
import { api } from '../../service/api.ts'
import { startTestService } from '../../service/in-process.ts'
import { h264, generateMedia, picture, scratchFolder } from './generate-media.ts'
import { replaceFfmpeg } from './replace-ffmpeg.ts'

const folder = await scratchFolder()

interface FakeFfmpegOptions {
  readonly version?: string
  readonly encoders?: readonly string[]
  readonly filters?: readonly string[]
  readonly ffprobe?: boolean
}

/** Creates a shell script that reports a version, encoders and filters as ffmpeg does. Returns its path. */
async function createFakeFfmpeg(name: string, options: FakeFfmpegOptions = {}): Promise<string> {
  const { version = '6.1.1', ffprobe = true } = options
  const encoders = (options.encoders ?? ['libx264', 'aac', 'mjpeg']).map(
    (each) => ` V....D ${each}   some words`,
  )
  const filters = (options.filters ?? ['scale', 'crop', 'overlay', 'xstack', 'amix']).map(
    (each) => ` TSC ${each}  V->V  words`,
  )
  const script = `#!/bin/sh
case "$1" in
  -version) echo "\${0##*/} version ${version} Copyright" ;;
  -encoders) printf '%s\\n' 'Encoders:' ' V..... = Video' ${encoders.map((line) => `'${line}'`).join(' ')} ;;
  -filters) printf '%s\\n' 'Filters:' ${filters.map((line) => `'${line}'`).join(' ')} ;;
esac
`
  const path = join(folder, name, 'ffmpeg')
  await mkdir(dirname(path))
  for (const file of [path, ...(ffprobe ? [join(folder, name, 'ffprobe')] : [])]) {
    await writeFile(file, script)
    await chmod(file, 0o755)
  }
  return path
}

test('the ffmpeg of this machine is located once', async () => {
  await locateFfmpeg(process.env['REELWRIGHT_FFMPEG'])
  // Searches again, because the test setup has already located ffmpeg.
  const found = await relocateFfmpeg()
  expect(found.version).toMatch(/\d/)
  expect(found.encoders.has('libx264') && found.filters.has('xstack')).toBe(true)
  expect(await locateFfmpeg()).toBe(found)
})

test.skipIf(process.platform === 'win32').each([
  ['the same build', '', 2],
  ['another build', '2>/dev/null', 3],
])('ffmpeg and ffprobe of %s are started as often as required', async (name, banner, starts) => {
  const real = await relocateFfmpeg()
  const [path, callLog] = [join(folder, name, 'ffmpeg'), join(folder, name, 'asked')]
  await mkdir(dirname(path))
  for (const program of ['ffmpeg', 'ffprobe'] as const) {
    const log = program === 'ffprobe' ? banner : ''
    await writeFile(
      join(folder, name, program),
      `#!/bin/sh\necho "$0 $*" >> '${callLog}'\nexec '${real[program]}' "$@" ${log}\n`,
    )
    await chmod(join(folder, name, program), 0o755)
  }
  const { version, encoders, filters } = await findUsableFfmpeg([path])
  expect({ version, encoders, filters }).toEqual({
    ...{ version: real.version, encoders: real.encoders, filters: real.filters },
  })
  expect((await readFile(callLog, 'utf8')).trim().split('\n')).toHaveLength(starts)
})

describe.skipIf(process.platform === 'win32')('of several candidates', () => {
  test('returns the first usable one, with the ffprobe beside it', async () => {
    const good = await createFakeFfmpeg('good', {
      version: 'n7.1',
      encoders: ['libx264', 'aac', 'mjpeg', 'libvpx-vp9'],
    })
    const found = await findUsableFfmpeg([join(folder, 'nowhere', 'ffmpeg'), good])
    expect(found).toMatchObject({ ffmpeg: good, ffprobe: join(folder, 'good', 'ffprobe'), version: 'n7.1' })
    expect(found.encoders.has('libvpx-vp9')).toBe(true)
  })

  test.each<[string, FakeFfmpegOptions, string]>([
    ['old', { version: '4.3.6-0+deb11u1' }, 'older than 4.4'],
    ['no-x264', { encoders: ['aac', 'mjpeg'] }, 'it has no libx264'],
    ['no-xstack', { filters: ['scale', 'crop', 'overlay', 'amix'] }, 'it has no xstack'],
    ['no-ffprobe', { ffprobe: false }, 'ffprobe was not found'],
  ])('%s is rejected with the reason and an install command', async (name, options, reason) => {
    const refused = findUsableFfmpeg([await createFakeFfmpeg(name, options)])
    await expect(refused).rejects.toThrow(reason)
    await expect(refused).rejects.toMatchObject({
      code: 6401,
      retryable: false,
      hint: expect.stringMatching(/ffmpeg|FFmpeg/),
    })
  })

  test('a build named by its date counts as new', async () => {
    const built = await createFakeFfmpeg('nightly', { version: 'N-109542-g8d5e4d3a5c-20240101' })
    expect((await findUsableFfmpeg([built])).ffmpeg).toBe(built)
  })
})

test('a missing ffmpeg is reported in the message', async () => {
  const error: unknown = await findUsableFfmpeg([join(folder, 'absent', 'ffmpeg')]).catch(
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(MediaError)
  expect(error).toMatchObject({ code: 6401, message: 'ffmpeg is not usable (it was not found)' })
})

test.skipIf(process.platform === 'win32')(
  'workers use the ffmpeg that the service found, without a search',
  async () => {
    const clip = new Uint8Array(
      await readFile(await generateMedia(join(folder, 'clip.mp4'), [...picture(0.2), ...h264])),
    )
    const callLog = join(folder, 'asked')
    using _ = await replaceFfmpeg(join(folder, 'logging'), `echo "$*" >> '${callLog}'; exec "$FFMPEG" "$@"`)
    await using service = await startTestService({ operations })
    const calls = api(service)
    const { data: file } = await calls.upload('clip.mp4', clip)
    const clips = [{ file_id: file.file_id }, { file_id: file.file_id }]
    const { data: task } = await calls.create('video_split_screen', {
      ...{ clips, output_ratio: '16:9', quality: '720p' },
    })
    expect((await calls.ended('video_split_screen', task.task_id)).data.status).toBe('completed')
    const commands = await readFile(callLog, 'utf8')
    expect(commands).toContain('split-screen.mp4')
    expect(commands).not.toMatch(/-encoders|-filters/)
  },
)

test.skipIf(process.platform === 'win32')('the configured path is cached, a failure is not', async () => {
  const path = join(folder, 'later', 'ffmpeg')
  await expect(locateFfmpeg(path)).rejects.toMatchObject({ code: 6401 })
  await expect(locateFfmpeg()).rejects.toMatchObject({ code: 6401 })
  await createFakeFfmpeg('later')
  expect(await locateFfmpeg()).toMatchObject({ ffmpeg: path })
})
