import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { describe, expect, test } from 'vitest'
import { createPreviewCache } from '../../src/files/previews.ts'
import { findOwnFile } from '../../src/files/records.ts'
import type { FileStore } from '../../src/files/store.ts'
import { sweepHourly } from '../../src/service/sweep.ts'
import { h264, generateMedia, picture, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { api, pollUntil } from '../service/api.ts'
import { startSecondApp } from './second-app.ts'
import { onOneDatabase } from './on-databases.ts'
import { sendRequest, openConnection } from './raw-http.ts'

// Caching is observed through the number of file reads.

const folder = await scratchFolder()

describe('the cache of region pictures', () => {
  onOneDatabase((service) => {
    /** Starts the service with a file store that records each read of a list (`ext`) and delays it until `gate`. */
    async function startObservedService({
      gate,
      ext = '.json',
    }: { gate?: Promise<void>; ext?: string } = {}) {
      const { service: parts } = service().running
      const read: string[] = []
      const files: FileStore = {
        ...parts.files,
        withLocalPath: (bytes, use) =>
          parts.files.withLocalPath(bytes, async (path) => {
            if (bytes.ext !== ext) return await use(path)
            read.push(bytes.blake3)
            await gate
            return await use(path)
          }),
      }
      return { read, ...(await startSecondApp({ ...parts, files })) }
    }

    /** Uploads a picture and prepares a list with equal content for every account. Returns requests for them. */
    async function createSubject(baseUrl: string, apiKey: string, id: string) {
      const calls = api({ baseUrl, apiKey })
      const still = Buffer.from(createCanvas(160, 90).toBuffer('image/png'))
      const subject = (await calls.upload('still.png', still)).data.file_id
      await calls.send(`/base/file/${subject}/facts`)
      const text = JSON.stringify({ regions: [{ id, x: 0.1, y: 0.1, w: 0.2, h: 0.2 }] })
      const list = async () => (await calls.upload('list.json', text)).data.file_id
      const path = (listId: string) => `/base/file/${subject}/regions?regions_file_id=${listId}`
      return {
        list,
        path,
        ask: async (listId: string) => (await calls.send(path(listId))).code,
        remove: async (file: string) => (await calls.send(`/base/file/${file}`, { method: 'DELETE' })).code,
        clean: async () => {
          const headers = { 'content-type': 'application/json' }
          const body = JSON.stringify({ keep_days: 0 })
          return (await calls.send('/base/file/clean', { method: 'POST', headers, body })).code
        },
      }
    }

    test('keeps an entry for its account only, as long as the list exists', async () => {
      const { read, baseUrl } = await startObservedService()
      const own = await createSubject(baseUrl, service().apiKey, 'kept')
      const list = await own.list()
      expect([await own.ask(list), await own.ask(list), read.length]).toEqual([200, 200, 1])

      const other = await createSubject(baseUrl, (await service().account(0)).apiKey, 'kept')
      expect([await other.ask(await other.list()), read.length]).toEqual([200, 2])

      expect([await own.remove(list), await own.ask(list)]).toEqual([200, 6004])
      // With equal content.
      expect([await own.ask(await own.list()), read.length]).toEqual([200, 3])
      expect(new Set(read).size).toBe(1)
    })

    test('reads an invalid list once for concurrent requests, whatever times they ask for', async () => {
      const { read, baseUrl } = await startObservedService()
      const { apiKey } = await service().account(0)
      const { path } = await createSubject(baseUrl, apiKey, 'refused')
      const calls = api({ baseUrl, apiKey })
      const items = `{"regions":[${'{},'.repeat(200_000)}{}]}`
      const list = (await calls.upload('list.json', items)).data.file_id
      const times = ['', '&at=0.1', '&at=0.2', '', '', '', '', '']
      const responses = await Promise.all(times.map((at) => calls.send(`${path(list)}${at}`)))
      for (const { code, msg } of responses) {
        expect(code).toBe(6016)
        expect(msg).toMatch(/^list\.json is not a valid list.* at most 50000 items, 200001 given$/)
      }
      expect(read).toHaveLength(1)
    })

    test('drops entries of files removed by a clean-up', async () => {
      const { read, baseUrl } = await startObservedService()
      const { apiKey } = await service().account(0)
      const before = await createSubject(baseUrl, apiKey, 'cleaned')
      expect([await before.ask(await before.list()), read.length]).toEqual([200, 1])
      expect(await before.clean()).toBe(200)
      const after = await createSubject(baseUrl, apiKey, 'cleaned')
      expect([await after.ask(await after.list()), read.length]).toEqual([200, 2])
    })

    test('drops entries of expired files', async () => {
      const { read, baseUrl, app } = await startObservedService()
      const { apiKey } = await service().account(0)
      const before = await createSubject(baseUrl, apiKey, 'expired')
      expect([await before.ask(await before.list()), read.length]).toEqual([200, 1])
      const { service: parts } = service().running
      const later = { ...parts, clock: () => Date.now() + 61 * 24 * 3600 * 1000, onRemoved: app.forgetFile }
      const cleaned = Promise.withResolvers<void>()
      await using _ = sweepHourly(later, async (signal) => {
        cleaned.resolve()
        if (!signal.aborted) await once(signal, 'abort')
      })
      await cleaned.promise
      const after = await createSubject(baseUrl, apiKey, 'expired')
      expect([await after.ask(await after.list()), read.length]).toEqual([200, 2])
    })

    test('keeps no entry for a list deleted while being read', async () => {
      const gate = Promise.withResolvers<void>()
      const { read, baseUrl } = await startObservedService({ gate: gate.promise })
      const own = await createSubject(baseUrl, service().apiKey, 'deleted')
      const list = await own.list()
      const pending = own.ask(list)
      await pollUntil(
        async () => read.length,
        (count) => count === 1,
      )
      expect(await own.remove(list)).toBe(200)
      gate.resolve()
      expect(await pending).toBe(200)
      expect([await own.ask(await own.list()), read.length]).toEqual([200, 2])
    })

    test('stops reading for a disconnected client', async () => {
      const gate = Promise.withResolvers<void>()
      const { read, baseUrl } = await startObservedService({ gate: gate.promise })
      const own = await createSubject(baseUrl, service().apiKey, 'left')
      const list = await own.list()
      using disconnected = await openConnection(baseUrl)
      const lines = ['Host: localhost', `Authorization: ${service().apiKey}`, '', '']
      disconnected.socket.write(`GET ${own.path(list)} HTTP/1.1\r\n${lines.join('\r\n')}`)
      await pollUntil(
        async () => read.length,
        (count) => count === 1,
      )
      disconnected.socket.destroy()
      await disconnected.closed
      // The response on another connection shows that the service has noticed.
      await own.ask('1')
      gate.resolve()
      expect([await own.ask(list), read.length]).toEqual([200, 2])
    })

    test('a picture with a damaged frame is cached and reports the frame', async () => {
      const { read, baseUrl } = await startObservedService({ ext: '.mp4' })
      const calls = api({ baseUrl, apiKey: service().apiKey })
      const clip = await generateMedia(join(folder, 'whole.mp4'), [
        ...['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=10:d=4', ...h264, '-g', '1', '-movflags', '+faststart'],
      ])
      const bytes = await readFile(clip)
      const half = (await calls.upload('half.mp4', bytes.subarray(0, bytes.length / 2))).data.file_id
      const text = JSON.stringify({ regions: [{ x: 0.1, y: 0.1, w: 0.2, h: 0.2 }] })
      const list = (await calls.upload('list.json', text)).data.file_id
      const url = `${baseUrl}/base/file/${half}/preview?kind=regions&regions_file_id=${list}&at=0.5,3.5`
      const draw = async () => {
        const { status, headers } = await sendRequest(url, { headers: { authorization: service().apiKey } })
        return [status, headers['x-empty-frames']]
      }
      expect(await draw()).toEqual([200, '1'])
      const { length } = read
      expect(await draw()).toEqual([200, '1'])
      expect(read).toHaveLength(length)
    })

    test('incomplete pictures and those of files deleted meanwhile are rendered again', async () => {
      const { service: parts } = service().running
      const previews = createPreviewCache(parts)
      const calls = api(service())
      const clip = await generateMedia(join(folder, 'other.mp4'), [...picture(2), ...h264])
      const upload = async () => {
        const { data } = await calls.upload('other.mp4', await readFile(clip))
        return await findOwnFile(parts.db, { accountId: 1, id: data.file_id, now: parts.clock() })
      }
      const drawn: string[] = []
      const draw = async (drawOptions: {
        as: string
        isWhole?: boolean
        meanwhile?: () => Promise<unknown>
      }) => {
        const drawing = async () => {
          drawn.push(drawOptions.as)
          await drawOptions.meanwhile?.()
          return { jpeg: Buffer.from(drawOptions.as), isWhole: drawOptions.isWhole ?? true }
        }
        const row = await upload()
        const { jpeg } = await previews.render(
          row,
          { name: 'test', render: drawing },
          new AbortController().signal,
        )
        return Buffer.from(jpeg).toString()
      }
      expect(await draw({ as: 'part', isWhole: false })).toBe('part')
      const { id } = await upload()
      const meanwhile = () => calls.send(`/base/file/${id}`, { method: 'DELETE' })
      expect(await draw({ as: 'deleted', meanwhile })).toBe('deleted')
      expect([await draw({ as: 'whole' }), await draw({ as: 'again' })]).toEqual(['whole', 'whole'])
      expect(drawn).toEqual(['part', 'deleted', 'whole'])
    })
  })
})
