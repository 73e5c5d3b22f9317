import { describe, expect, test } from 'vitest'
import { startSecondApp } from './second-app.ts'
import { onOneDatabase } from './on-databases.ts'
import { sendRequest, envelope, openConnection } from './raw-http.ts'

describe('authentication', () => {
  onOneDatabase((service) => {
    const list = (headers: Record<string, string>) =>
      sendRequest(`${service().baseUrl}/task/list`, { headers })

    test.for(['', 'wrong', 'Bearer {key}', 'bearer {key}', '{key}x', '"{key}"'])(
      'the key %j is rejected',
      async (form) => {
        const authorization = form.replace('{key}', service().apiKey)
        expect(envelope(await list({ authorization }))).toMatchObject({ status: 401, code: 6502, data: null })
      },
    )

    test('an invalid key gets a hint about the header and new keys', async () => {
      expect(envelope(await list({ authorization: 'rw_revoked' }))).toMatchObject({
        hint: expect.stringMatching(/without a prefix.*`reelwright keys create`/),
      })
    })

    test('a missing key is rejected on every path, before the body is read', async () => {
      for (const path of ['/base/file/upload', '/task/x', '/nothing', '/daemon/exit']) {
        using line = await openConnection(service().baseUrl)
        line.socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{`)
        expect(await line.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 401 [^]*"code":6502/)
      }
    })

    test.for([
      [{ host: 'evil.example' }, 401],
      [{ host: 'evil.example:80' }, 401],
      [{ host: '127.0.0.1.evil.example' }, 401],
      [{ origin: 'http://localhost' }, 401],
      [{ origin: 'null' }, 401],
      [{ host: 'localhost' }, 200],
      [{ host: 'LOCALHOST:4100' }, 200],
      [{ host: '[::1]:4100' }, 200],
      // Foreign names that resolve to this machine.
      [{ host: 'localhost.' }, 401],
      [{ host: '127.0.0.1.' }, 401],
      [{ host: '127.0.0.1.:4100' }, 401],
      [{ host: 'localhost.evil.example' }, 401],
      [{ host: 'a.localhost' }, 401],
      [{ host: '2130706433' }, 401],
      [{ host: '0.0.0.0' }, 401],
      [{ host: '[::ffff:127.0.0.1]' }, 401],
      [{ host: '' }, 401],
      // The service's own page, with the same origin.
      [{ host: '127.0.0.1:4100', origin: 'http://127.0.0.1:4100' }, 200],
      [{ host: 'LOCALHOST:4100', origin: 'http://localhost:4100' }, 200],
      [{ host: '[::1]:4100', origin: 'http://[::1]:4100' }, 200],
      [{ host: 'localhost:80', origin: 'http://localhost' }, 200],
      // All other pages.
      [{ host: '127.0.0.1:4100', origin: 'null' }, 401],
      [{ host: '127.0.0.1:4100', origin: '' }, 401],
      [{ host: '127.0.0.1:4100', origin: 'http://127.0.0.1:4101' }, 401],
      [{ host: '127.0.0.1:4100', origin: 'http://127.0.0.1' }, 401],
      [{ host: '127.0.0.1:4100', origin: 'https://127.0.0.1:4100' }, 401],
      [{ host: '127.0.0.1:4100', origin: 'http://localhost:4100' }, 401],
      [{ host: '127.0.0.1:4100', origin: 'http://127.0.0.1:4100/' }, 401],
      [{ host: '127.0.0.1:4100', origin: 'http://127.0.0.1:4100.evil.example' }, 401],
      [{ host: '127.0.0.1:4100', origin: 'http://127.0.0.1:4100, http://evil.example' }, 401],
      [{ host: 'localhost:4100', origin: 'http://localhost.:4100' }, 401],
      [{ host: 'evil.example:4100', origin: 'http://evil.example:4100' }, 401],
      [{ host: '127.0.0.1:4100', origin: 'chrome-extension://abc' }, 401],
    ] as const)('%j returns %i', async ([headers, status]) => {
      expect((await list({ ...headers, authorization: service().apiKey })).status).toBe(status)
    })

    describe('with a public address', () => {
      const listAt = async (publicUrl: string, headers: Record<string, string>) => {
        const { baseUrl } = await startSecondApp(service().running.service, { publicUrl })
        const response = await sendRequest(`${baseUrl}/task/list`, {
          headers: { ...headers, authorization: service().apiKey },
        })
        return response.status
      }

      test.for([
        ['https://media.example', 'media.example', 200],
        ['https://media.example/team/', 'MEDIA.example:443', 200],
        ['https://media.example', '127.0.0.1:8787', 200],
        // Plain http, bypassing the proxy.
        ['https://media.example', 'media.example:8787', 401],
        ['https://media.example', 'a.media.example', 401],
        ['https://media.example:8443', 'media.example:8443', 200],
        ['https://media.example:8443', 'media.example', 401],
        ['https://bücher.example', 'xn--bcher-kva.example', 200],
        ['https://[2001:db8::1]', '[2001:db8::1]', 200],
      ] as const)('%s: the host %s returns %i', async ([publicUrl, host, status]) => {
        expect(await listAt(publicUrl, { host })).toBe(status)
      })

      test.for([
        ['media.example', 'https://media.example', 200],
        ['MEDIA.example:443', 'https://media.example', 200],
        ['127.0.0.1:8787', 'http://127.0.0.1:8787', 200],
        ['media.example', 'http://media.example', 401],
        ['media.example', 'https://media.example:8443', 401],
        ['media.example', 'https://a.media.example', 401],
        ['media.example', 'https://media.example.', 401],
        ['media.example', 'null', 401],
        ['media.example', 'http://127.0.0.1:8787', 401],
        ['127.0.0.1:8787', 'https://media.example', 401],
        ['127.0.0.1:8787', 'https://127.0.0.1:8787', 401],
      ] as const)('on the host %s a page of %s gets status %i', async ([host, origin, status]) => {
        expect(await listAt('https://media.example', { host, origin })).toBe(status)
      })

      test('a proxy on this machine is accepted', async () => {
        const headers = { host: 'localhost:8443', origin: 'https://localhost:8443' }
        expect(await listAt('https://localhost:8443', headers)).toBe(200)
        expect(await listAt('https://localhost:8443', { ...headers, origin: 'http://localhost:8443' })).toBe(
          401,
        )
      })
    })

    test('health also rejects other web pages', async () => {
      const { status } = await sendRequest(`${service().baseUrl}/health`, {
        headers: { origin: 'http://a.example' },
      })
      expect(status).toBe(401)
    })
  })
})
