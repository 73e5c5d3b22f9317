import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wasPipeRead } from '../named-pipe.ts'
import { videoFolder } from '../engines/ffmpeg/generate-media.ts'
import { api } from '../service/api.ts'
import { onOneDatabase } from './on-databases.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { sendRequest } from './raw-http.ts'

/** Header of a MIDI file in format 1, and a track that claims to be as large as possible. */
const midiHeader = 'MThd\0\0\0\x06\0\x01\x7f\x7f\x01\x60MTrk\x7f\x7f\x7f\x7f'
/** Waits of the longest time with one byte, then data without a status. */
const longWaits = '\x7f\x40\x40'.repeat(100_000)

const assEvent = (text: string) => `Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,${text}\n`

/** Returns the content of a file that refers to another one. */
type Content = (pipe: string) => string

const playlists: readonly [string, Content][] = [
  ['an HLS playlist', (file) => `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1.0,\n${file}\n#EXT-X-ENDLIST\n`],
  ['a text', () => 'Dear sir, this is no video at all.\n'.repeat(100)],
  ['an HLS playlist of file: addresses', (file) => `#EXTM3U\n#EXTINF:1.0,\nfile:${file}\n#EXT-X-ENDLIST\n`],
  ['an ffconcat list', (file) => `ffconcat version 1.0\nfile '${file}'\n`],
  [
    'a DASH manifest',
    (file) =>
      '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" ' +
      'mediaPresentationDuration="PT1S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="0" ' +
      `bandwidth="1000" width="16" height="16"><BaseURL>${file}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
  ],
  ['a MIDI file with 32,639 tracks and endless waits', () => `${midiHeader}${longWaits}`],
  ['ASS subtitles with deep tags', () => `[Events]\n${assEvent(`{${String.raw`\t(`.repeat(100_000)}}x`)}`],
]

type Account = Readonly<Record<'baseUrl' | 'apiKey', string>>

/** Response of an endpoint of a file. */
const inspect = ({ baseUrl, apiKey }: Account, fileId: string, endpoint = 'facts') =>
  sendRequest(`${baseUrl}/base/file/${fileId}/${endpoint}`, { headers: { authorization: apiKey } })

/** Responses of all endpoints that inspect a file. */
async function inspectEverywhere(service: Account, fileId: string) {
  const headers = { authorization: service.apiKey }
  const responses = []
  for (const endpoint of ['facts', 'preview?kind=contact_sheet', 'preview?kind=waveform'])
    responses.push(await inspect(service, fileId, endpoint))
  const body = JSON.stringify({ file_id: fileId })
  const type = { 'content-type': 'application/json' }
  responses.push(
    await sendRequest(`${service.baseUrl}/task/test_copy`, {
      method: 'POST',
      headers: { ...headers, ...type },
      body,
    }),
  )
  return responses.map(readCode)
}

function readCode({ status, bytes }: Awaited<ReturnType<typeof inspect>>) {
  const code = status === 200 ? 200 : (JSON.parse(bytes.toString()) as { code: number }).code
  return { status, code, text: bytes.toString('latin1') }
}

type Inspected = readonly ReturnType<typeof readCode>[]

const films = join(videoFolder() ?? '', 'mp4parse')

onOneDatabase((service) => {
  describe.skipIf(process.platform === 'win32')('a file that refers to another one', () => {
    let folder: string
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'reelwright-hostile-'))
      await promisify(execFile)('mkfifo', [join(folder, 'pipe.ts')])
    })
    afterAll(() => rm(folder, { recursive: true, force: true }))

    /** Inspects a file, and checks that nothing about the other one is disclosed. */
    async function check(
      content: Content,
      inspectFile: (account: Account, id: string) => Promise<Inspected>,
    ) {
      const pipe = join(folder, 'pipe.ts')
      const account = await service().account(5)
      const { data: file } = await api(account).upload('holiday.mp4', content(pipe))
      const read = await wasPipeRead(pipe, async () => {
        for (const response of await inspectFile(account, file.file_id)) {
          expect([response.status, response.code]).toEqual([400, 6017])
          expect(response.text).toMatch(/"msg":"(file_id: )?holiday\.mp4: /)
          expect(response.text, 'no path of this machine is disclosed').not.toContain(folder)
          expect(response.text).not.toContain(service().dataDir)
        }
      })
      expect(read, 'the other file was opened').toBe(false)
      expect(await api(account).balance(), 'nothing is charged').toBe(5)
    }

    /** In `npm test`, the lists of files alone are sent to every endpoint. */
    const lists = playlists.filter(([what]) => ['an HLS playlist', 'an ffconcat list'].includes(what))
    const everywhere = soakSize(lists, playlists)
    test.for(everywhere)('%s named as a video returns 6017 from every endpoint', async ([, content]) => {
      await check(content, inspectEverywhere)
    })

    test.for(playlists.filter((one) => !everywhere.includes(one)))(
      'the facts of %s named as a video are refused: 6017',
      async ([, content]) => {
        await check(content, async (account, id) => [readCode(await inspect(account, id))])
      },
    )
  })

  test('a MIDI file is stored unchanged, and no endpoint parses it', async () => {
    const account = await service().account(5)
    const { data: file } = await api(account).upload('song.mid', `${midiHeader}${longWaits}`)
    const codes = (await inspectEverywhere(account, file.file_id)).map(({ code }) => code)
    expect(codes, 'facts, contact sheet, waveform, copy').toEqual([200, 6014, 6014, 6014])
  })

  describe.skipIf(videoFolder() === undefined)('broken films (test data of mp4parse)', () => {
    test('a film returns a specific code from every endpoint', async () => {
      const account = await service().account(50)
      const names = (await readdir(films)).filter((name) => name.endsWith('.mp4'))
      expect(names.length).toBeGreaterThan(0)
      const codes = new Set<number | undefined>()
      for (const name of sampleCases(names.toSorted(), 3)) {
        const { data: file } = await api(account).upload(name, await readFile(join(films, name)))
        const [facts, sheet, wave, task] = (await inspectEverywhere(account, file.file_id)).map(
          ({ code }) => code,
        )
        expect([200, 6017, 6021], name).toContain(facts)
        codes.add(facts)
        expect([sheet, task], name).toEqual([facts, facts])
        // A readable video may have no audio.
        expect([facts, 6014], name).toContain(wave)
      }
      expect(codes, 'readable and unreadable films').toEqual(new Set([200, 6017, 6021]))
    })
  })
})
