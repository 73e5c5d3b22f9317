import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { FileStore } from '../../src/files/store.ts'
import { h264, make, picture, scratchFolder, tone } from '../engines/ffmpeg/made.ts'
import { api, until } from '../service/api.ts'
import { behindAnotherPort } from './another-port.ts'
import { onOneDatabase } from './on-databases.ts'
import { ask, wire } from './raw.ts'

const folder = await scratchFolder()

describe('previews', () => {
  onOneDatabase((service) => {
    let clip: string
    beforeAll(async () => {
      const path = await make(join(folder, 'clip.mp4'), [...picture(1), ...tone(1), ...h264, '-c:a', 'aac'])
      const { data } = await api(service()).upload('clip.mp4', await readFile(path))
      clip = `/base/file/${data.file_id}`
      await api(service()).send(`${clip}/facts`)
    })

    /** The same service, telling of each file that is lent and waiting before it. */
    async function watched() {
      const { service: parts } = service().running
      const lent: PromiseWithResolvers<void>[] = []
      const files: FileStore = {
        ...parts.files,
        async lend(bytes, use) {
          const gate = Promise.withResolvers<void>()
          lent.push(gate)
          await gate.promise
          return await parts.files.lend(bytes, use)
        },
      }
      const { baseUrl, app } = await behindAnotherPort({ ...parts, files })
      const headers = { authorization: service().apiKey }
      return {
        app,
        baseUrl,
        headers,
        lent,
        see: () => ask(`${baseUrl}${clip}/preview?kind=waveform`, { headers }),
      }
    }

    test('are drawn one after another, and not for a client that has gone', async () => {
      const { app, baseUrl, headers, lent, see } = await watched()
      const first = see()
      await until(
        async () => lent.length,
        (count) => count === 1,
      )
      const before = app.lastActivity()
      using gone = await wire(baseUrl)
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
      gone.socket.write(
        `GET ${clip}/preview?kind=waveform HTTP/1.1\r\nHost: localhost\r\n${lines.join()}\r\n\r\n`,
      )
      await until(
        async () => app.lastActivity(),
        (moment) => moment > before,
      )
      gone.socket.destroy()
      await gone.closed
      const last = see()
      lent[0]?.resolve()
      expect((await first).status).toBe(200)
      await until(
        async () => lent.length,
        (count) => count === 2,
      )
      lent[1]?.resolve()
      expect((await last).status).toBe(200)
      expect(lent, 'nothing was drawn for who has gone').toHaveLength(2)
    })

    test('many at once are all answered', async () => {
      const { baseUrl, apiKey } = service()
      const kinds = ['waveform', 'contact_sheet', 'waveform', 'contact_sheet', 'waveform']
      const answers = await Promise.all(
        kinds.map((kind) =>
          ask(`${baseUrl}${clip}/preview?kind=${kind}`, { headers: { authorization: apiKey } }),
        ),
      )
      for (const { status, headers, bytes } of answers) {
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
