import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { FileStore } from '../../src/files/store.ts'
import { h264, generateMedia, scratchFolder, tone } from '../engines/ffmpeg/generate-media.ts'
import { api, pollUntil } from '../service/api.ts'
import { startSecondApp } from './second-app.ts'
import { onOneDatabase } from './on-databases.ts'
import { sendRequest, openConnection } from './raw-http.ts'

const folder = await scratchFolder()

describe('previews', () => {
  onOneDatabase((service) => {
    /** URLs of probed clips with different content. */
    const clips: string[] = []
    let film: Buffer
    /** Facts of the film, as stored. */
    let facts: string | null

    /** Uploads the film with a comment, which makes its content different. */
    async function upload(as: { baseUrl: string; apiKey: string }, comment: string): Promise<string> {
      const head = Buffer.from('\0\0\0\0free', 'latin1')
      head.writeUInt32BE(head.length + comment.length)
      const { data } = await api(as).upload('clip.mp4', Buffer.concat([film, head, Buffer.from(comment)]))
      await setFacts(data.file_id)
      return `/base/file/${data.file_id}`
    }

    const setFacts = async (id: string) =>
      void (await service()
        .running.service.db.updateTable('files')
        .set({ facts })
        .where('id', '=', id)
        .execute())

    beforeAll(async () => {
      const plain = ['-f', 'lavfi', '-i', 'color=teal:s=160x90:r=25:d=1']
      const sources = [...plain, ...tone(1), ...h264, '-c:a', 'aac']
      film = await readFile(await generateMedia(join(folder, 'clip.mp4'), sources))
      const { data } = await api(service()).upload('clip.mp4', Buffer.from(film))
      await api(service()).send(`/base/file/${data.file_id}/facts`)
      const probed = service().running.service.db.selectFrom('files').select('facts')
      facts = (await probed.where('id', '=', data.file_id).executeTakeFirstOrThrow()).facts
      for (const comment of ['first', 'second', 'third']) clips.push(await upload(service(), comment))
    })

    /** Starts the service with a file store that records each access and delays it until the test resolves it. */
    async function startObservedService() {
      const { service: parts } = service().running
      const accesses: PromiseWithResolvers<void>[] = []
      const files: FileStore = {
        ...parts.files,
        async withLocalPath(bytes, use) {
          const gate = Promise.withResolvers<void>()
          accesses.push(gate)
          await gate.promise
          return await parts.files.withLocalPath(bytes, use)
        },
      }
      const { baseUrl, app } = await startSecondApp({ ...parts, files })
      const requestPreview = (clip = clips[0], apiKey = service().apiKey) =>
        sendRequest(`${baseUrl}${clip}/preview?kind=waveform`, { headers: { authorization: apiKey } })
      /** Sends a request on a connection that the test can close, and waits until the service received it. */
      const openRequest = async (clip: string | undefined) => {
        const before = app.lastActivity()
        const connection = await openConnection(baseUrl)
        const lines = ['Host: localhost', `Authorization: ${service().apiKey}`, '', '']
        connection.socket.write(`GET ${clip}/preview?kind=waveform HTTP/1.1\r\n${lines.join('\r\n')}`)
        await pollUntil(
          async () => app.lastActivity(),
          (moment) => moment > before,
        )
        return connection
      }
      const waitForAccesses = (count: number) =>
        pollUntil(
          async () => accesses.length,
          (now) => now === count,
        )
      return { baseUrl, accesses, requestPreview, openRequest, waitForAccesses }
    }

    test('are rendered one at a time, and not for a disconnected client', async () => {
      const { accesses, requestPreview, openRequest, waitForAccesses } = await startObservedService()
      const first = requestPreview(clips[0])
      await waitForAccesses(1)
      using disconnected = await openRequest(clips[1])
      disconnected.socket.destroy()
      await disconnected.closed
      const last = requestPreview(clips[2])
      accesses[0]?.resolve()
      expect((await first).status).toBe(200)
      await waitForAccesses(2)
      accesses[1]?.resolve()
      expect((await last).status).toBe(200)
      expect(accesses, 'nothing was rendered for the disconnected client').toHaveLength(2)
    })

    test('concurrent equal requests render once', async () => {
      const { accesses, requestPreview, waitForAccesses } = await startObservedService()
      const both = [requestPreview(), requestPreview()]
      await waitForAccesses(1)
      accesses[0]?.resolve()
      const [one, another] = await Promise.all(both)
      expect([one?.status, another?.status]).toEqual([200, 200])
      expect(one?.bytes.equals(another?.bytes ?? Buffer.alloc(0))).toBe(true)
      expect(accesses).toHaveLength(1)
    })

    test('are cached for their account only, as long as the file exists', async () => {
      const { accesses, requestPreview, waitForAccesses } = await startObservedService()
      const first = requestPreview(clips[2])
      await waitForAccesses(1)
      accesses[0]?.resolve()
      const { bytes: drawn } = await first
      expect((await requestPreview(clips[2])).bytes.equals(drawn)).toBe(true)
      expect(accesses, 'nothing was drawn anew').toHaveLength(1)

      const other = await service().account(0)
      const otherPreview = requestPreview(await upload(other, 'third'), other.apiKey)
      await waitForAccesses(2)
      accesses[1]?.resolve()
      expect((await otherPreview).bytes.equals(drawn), 'it is the same content').toBe(true)

      const id = clips[2]?.split('/').at(-1) ?? ''
      const { db } = service().running.service
      await db.updateTable('files').set({ expire_at: 0 }).where('id', '=', id).execute()
      expect((await requestPreview(clips[2])).status).toBe(404)
    })

    test('take turns between accounts, and each may have 64 waiting', async () => {
      const { baseUrl, accesses, requestPreview, waitForAccesses } = await startObservedService()
      const other = await service().account(0)
      const otherClip = await upload(other, 'third')
      const first = requestPreview(clips[0])
      await waitForAccesses(1)

      const { apiKey } = service()
      const client = new AbortController()
      const waiting: Promise<Response>[] = []
      for (let number = 0; number < 65; number += 1) {
        const { data } = await api(service()).upload(`${number}.mp4`, Buffer.from(`not a video ${number}`))
        // Equal media facts: only the names of the requests must differ.
        await setFacts(data.file_id)
        const url = `${baseUrl}/base/file/${data.file_id}/preview?kind=waveform`
        waiting.push(fetch(url, { headers: { authorization: apiKey }, signal: client.signal }))
      }
      const excess = await Promise.race(waiting)
      expect([excess.status, excess.headers.get('retry-after')]).toEqual([429, '5'])
      expect(await excess.json()).toMatchObject({ code: 6032, retryable: true })

      let isServed = false
      const ofOther = requestPreview(otherClip, other.apiKey).finally(() => (isServed = true))
      // Its request may arrive after the next one of the first account was chosen, but not after a second one.
      for (let at = 0; at < 3; at += 1) {
        accesses[at]?.resolve()
        await pollUntil(
          async () => isServed || accesses.length > at + 1,
          (is) => is,
        )
      }
      accesses[3]?.resolve()
      expect((await ofOther).status).toBe(200)
      expect(accesses.length).toBeLessThanOrEqual(5)
      client.abort()
      accesses[4]?.resolve()
      await Promise.allSettled([first, ...waiting])
    })

    test('many concurrent requests all get a response', async () => {
      const { baseUrl, apiKey } = service()
      const kinds = ['waveform', 'contact_sheet', 'waveform', 'contact_sheet', 'waveform']
      const responses = await Promise.all(
        kinds.map((kind) =>
          sendRequest(`${baseUrl}${clips[0]}/preview?kind=${kind}`, { headers: { authorization: apiKey } }),
        ),
      )
      for (const { status, headers, bytes } of responses) {
        expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([
          200,
          'image/jpeg',
          'nosniff',
        ])
        expect(bytes.subarray(0, 2).toString('hex'), 'begins as a JPEG').toBe('ffd8')
      }
    })
  })
})
