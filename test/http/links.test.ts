import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { revokeKeys } from '../../src/accounts/keys.ts'
import { signedLink } from '../../src/contract/file-routes.ts'
import { signLink } from '../../src/files/links.ts'
import { anyCodePoint } from '../code-points.ts'
import { api } from '../service/api.ts'
import { onOneDatabase } from './on-databases.ts'
import { sendRequest, envelope } from './raw-http.ts'

onOneDatabase((service) => {
  const db = () => service().running.service.db
  const createLinkedFile = async (content = 'the bytes of a film') => {
    const account = await service().account(0)
    const calls = api(account)
    const { data: file } = await calls.upload('film.txt', content)
    const requestLink = async (body: unknown = {}) =>
      calls.send(`/base/file/${file.file_id}/link`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const { url, expires_at } = signedLink.parse((await requestLink()).data)
    return {
      account,
      file,
      requestLink,
      url: service().baseUrl + url,
      expiresAt: Date.parse(expires_at),
    }
  }
  const rejection = { status: 401, code: 6502, data: null }

  test('a link opens its file without a key, for an hour by default', async () => {
    const { file, requestLink, url, expiresAt } = await createLinkedFile()
    expect(url).toMatch(new RegExp(`${file.download_url}\\?expires=${expiresAt / 1000}&sign=[\\w-]{43}$`))
    expect((expiresAt - Date.now()) / 1000).toBeCloseTo(3600, -1)
    expect((await sendRequest(url)).bytes.toString()).toBe('the bytes of a film')
    const { data } = await requestLink({ expires_in: 7 * 24 * 3600 })
    expect((Date.parse(signedLink.parse(data).expires_at) - Date.now()) / 1000).toBeCloseTo(604_800, -1)
    for (const expires_in of [0, -1, 604_801, 1.5, '60', true]) {
      expect(await requestLink({ expires_in })).toMatchObject({ status: 400, code: 6016 })
    }
  })

  test('ranges, conditions and HEAD work as with a key', async () => {
    const { url, file } = await createLinkedFile()
    const part = await sendRequest(url, { headers: { range: 'bytes=4-8' } })
    expect([part.status, part.bytes.toString()]).toEqual([206, 'bytes'])
    const head = await sendRequest(url, { method: 'HEAD' })
    expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, '19', 0])
    const known = await sendRequest(url, { headers: { 'if-none-match': `"${file.blake3_id}"` } })
    expect(known.status).toBe(304)
    expect((await sendRequest(url, { headers: { range: 'bytes=19-' } })).status).toBe(416)
  })

  test('a link opens only its file', async () => {
    const { url, file } = await createLinkedFile()
    const { file: other } = await createLinkedFile('other bytes')
    const { search } = new URL(url)
    for (const path of [`/base/file/${other.file_id}/download`, `/base/file/${file.file_id}`, '/task/list']) {
      expect(envelope(await sendRequest(service().baseUrl + path + search)), path).toMatchObject(rejection)
    }
    const preview = `/base/file/${file.file_id}/preview${search}&kind=waveform`
    expect(envelope(await sendRequest(service().baseUrl + preview))).toMatchObject(rejection)
  })

  test('a changed link is rejected, whatever the change', async () => {
    const { account, url, expiresAt } = await createLinkedFile()
    const right = new URL(url)
    const sign = right.searchParams.get('sign') ?? ''
    const expires = String(expiresAt / 1000)
    const opens = async (query: readonly [string, string][]) => {
      const changed = new URL(url)
      changed.search = new URLSearchParams(query).toString()
      return envelope(await sendRequest(changed.href, { headers: { authorization: account.apiKey } }))
    }
    const character = fc.oneof(
      fc.constantFrom(...'AZaz09-_+/=. %&\n\u0000', 'é', '好', '😀', '\u202e'),
      fc.string({ minLength: 1, maxLength: 1, unit: anyCodePoint }),
    )
    const at = fc.nat(sign.length - 1)
    const signs = fc.oneof(
      fc.tuple(at, character).map(([index, with_]) => sign.slice(0, index) + with_ + sign.slice(index + 1)),
      fc.tuple(at, character).map(([index, with_]) => sign.slice(0, index) + with_ + sign.slice(index)),
      at.map((index) => sign.slice(0, index)),
      fc.constantFrom(
        `${sign}=`,
        sign.toUpperCase(),
        sign.toLowerCase(),
        Buffer.from(sign, 'base64url').toString('hex'),
      ),
      fc.string(),
    )
    await fc.assert(
      fc.asyncProperty(signs, async (changed) => {
        fc.pre(changed !== sign)
        expect(
          await opens([
            ['expires', expires],
            ['sign', changed],
          ]),
        ).toMatchObject(rejection)
      }),
      { numRuns: 60 },
    )
    const later = String(Number(expires) + 1)
    for (const changed of [
      later,
      `0${expires}`,
      `${expires} `,
      `+${expires}`,
      `${expires}.0`,
      '',
      'Infinity',
      '1e12',
    ]) {
      expect(
        await opens([
          ['expires', changed],
          ['sign', sign],
        ]),
        changed,
      ).toMatchObject(rejection)
    }
    expect(await opens([['sign', sign]])).toMatchObject(rejection)
    expect(
      await opens([
        ['expires', expires],
        ['sign', sign],
        ['sign', sign],
      ]),
    ).toMatchObject(rejection)
  })

  test('a link ends at its expiry or with its file, not with the key that created it', async () => {
    const { account, file, url } = await createLinkedFile()
    await revokeKeys(db(), { accountId: account.id, name: 'test', now: Date.now() })
    expect((await sendRequest(url)).status).toBe(200)
    const expired = await signLink(db(), file.file_id, Math.floor(Date.now() / 1000))
    expect(envelope(await sendRequest(service().baseUrl + expired))).toMatchObject(rejection)
    await db().updateTable('files').set({ expire_at: 1 }).where('id', '=', file.file_id).execute()
    expect(envelope(await sendRequest(url))).toMatchObject({ status: 404, code: 6004, data: null })
  })

  test('only the owner can create a link, and web pages cannot use it', async () => {
    const { file, url } = await createLinkedFile()
    const otherAccount = api(await service().account(0))
    const rejectedLink = await otherAccount.send(`/base/file/${file.file_id}/link`, { method: 'POST' })
    expect(rejectedLink).toMatchObject({ status: 404, code: 6004 })
    const headers = { origin: 'http://page.example' }
    expect(envelope(await sendRequest(url, { headers }))).toMatchObject(rejection)
  })

  test('the log does not contain the link', async () => {
    const { url } = await createLinkedFile()
    const sign = new URL(url).searchParams.get('sign') ?? ''
    await sendRequest(url)
    await sendRequest(`${url}x`)
    const log = await readFile(join(service().dataDir, 'log'), 'utf8')
    expect(log).toContain('"code":6502')
    expect(log).not.toContain(sign)
  })
})
