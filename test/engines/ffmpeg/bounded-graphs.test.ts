import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { renderBeats, htmlParticle } from '../../html-render-simple/render.ts'
import { renderSplit } from '../../video-split-screen/render.ts'
import { clipAt, render, request } from '../../video-timeline-render/render.ts'
import { generateMedia, h264, picture, scratchFolder, tone } from './generate-media.ts'
import { replaceFfmpeg } from './replace-ffmpeg.ts'
import { transparentVideo } from './transparent-video.ts'
import { sampleCases } from '../../soak-size.ts'

const folder = await scratchFolder()
const film = join(folder, 'film.mp4')
const short = join(folder, 'short.mp4')
const overlay = join(folder, 'overlay.webm')
beforeAll(async () => {
  await generateMedia(film, [...picture(2), ...tone(2), ...h264, '-c:a', 'aac'])
  await generateMedia(short, [...picture(0.4), ...tone(0.4), ...h264, '-c:a', 'aac'])
  await transparentVideo(overlay)
})

/** Returns the filters of a command that generate pictures or samples without an end of their own. */
function endlessFilters(command: string): string[] {
  const chains = command.split(/[;\]]/)
  const endless = /\bloop=(?:loop=)?-1|\bstop=-1|\bapad(?!=(?:whole_dur|whole_len|pad_dur|pad_len)=)/
  const source = /\b(?:color|anullsrc|nullsrc|testsrc2?|sine|aevalsrc)=/
  return chains.filter(
    (chain) =>
      endless.test(chain) || (source.test(chain) && !/\btrim=end_frame=|\b(?:d|duration)=/.test(chain)),
  )
}

const html = htmlParticle({ duration: 1 }, '<b>text</b>')

it.skipIf(process.platform === 'win32').each<[string, () => Promise<unknown>]>([
  [
    'a timeline',
    () => {
      const sound = [
        [clipAt(0, { path: film, from: 0, seconds: 1 })],
        [clipAt(0.5, { path: film, from: 1, seconds: 1 })],
      ]
      return render(
        request({ duration: 3, picture: [clipAt(0.5, { path: overlay, from: 0.5, seconds: 1 })], sound }),
        folder,
      )
    },
  ],
  [
    'a split screen',
    () =>
      renderSplit(
        {
          clips: [{ file_id: short }, { file_id: overlay, end_time_ms: 520 }, { file_id: short }],
          quality: '720p',
          background_color: '#123456',
          audio_mode: 'mix',
        },
        folder,
      ),
  ],
  ...sampleCases(['mp4', 'webm', 'qtrle']).map((output_format): [string, () => Promise<unknown>] => [
    `html as ${output_format}`,
    () =>
      renderBeats(
        {
          composition: {
            ...{ video_size: { width: 64, height: 36 }, fps: 10, duration: 2 },
            tracks:
              output_format === 'mp4'
                ? [
                    { type: 'video', asset: 'film', track_index: 0, start: 0.5, duration: 0.5, muted: false },
                    { type: 'audio', asset: 'film', track_index: 0, start: 0 },
                  ]
                : [],
            beats: [{ start: 0, duration: 0.5, track_index: 0, html }],
          },
          render: { output_format },
          assets: { film },
        },
        folder,
      ),
  ]),
])('no filter graph is endless: %s', async (...[, work]) => {
  const log = join(folder, 'calls')
  using _ = await replaceFfmpeg(join(folder, 'logging'), `echo "$*" >> '${log}'; exec "$FFMPEG" "$@"`)
  await work()
  const commands = (await readFile(log, 'utf8'))
    .split('\n')
    .filter((line) => line.includes('-filter_complex'))
  expect(commands.length).toBeGreaterThan(0)
  expect(commands.flatMap(endlessFilters)).toEqual([])
})
