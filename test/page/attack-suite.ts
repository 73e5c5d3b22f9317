import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { routes } from '../../src/contract/routes.ts'
import { api } from '../service/api.ts'
import type { TestAccount } from '../service/in-process.ts'
import { openPage, reboundHost, type BrowserAndService } from './browser.ts'

/** Serves one document on an origin of its own until the test ends, and returns its URL and the Referer headers. */
async function startAttacker(html: string) {
  const referers: (string | undefined)[] = []
  const server = createServer((request, response) => {
    referers.push(request.headers.referer)
    response.writeHead(200, { 'content-type': 'text/html' }).end(html)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, referers }
}

export const attackSuite = (started: BrowserAndService) =>
  describe('under attack', () => {
    let account: TestAccount
    beforeAll(async () => {
      account = await started.service.account(100)
    })

    async function openTab(url: string): Promise<Page> {
      const context = await started.browser.newContext()
      onTestFinished(() => context.close())
      const page = await context.newPage()
      await page.goto(url)
      return page
    }

    test('no other page can frame it', async () => {
      for (const path of ['/', '/docs', '/page/main.js']) {
        const { url } = await startAttacker(`<iframe src="${started.service.baseUrl}${path}"></iframe>`)
        const page = await openTab(url)
        const frame = page.frames().at(1)
        expect(frame?.url(), path).toBe('chrome-error://chromewebdata/')
      }
    })

    test('other pages can neither read the API nor use a ticket, also without reading the response', async () => {
      const { url } = await startAttacker('<p>other</p>')
      const page = await openTab(url)
      const { data } = await api(account).send<{ ticket: string }>(routes.pageTicket.path, { method: 'POST' })
      const outcomes = await page.evaluate(
        async ({ base, ticket, key }) => {
          const attempt = (path: string, init?: RequestInit) =>
            fetch(base + path, init).then(
              (response) => response.type,
              () => 'blocked',
            )
          return [
            await attempt('/health'),
            await attempt('/task/list', { headers: { authorization: key } }),
            await attempt('/page/login', { method: 'POST', body: JSON.stringify({ ticket }) }),
            // A simple request reaches the service; the response is hidden.
            await attempt('/page/login', {
              method: 'POST',
              mode: 'no-cors',
              body: JSON.stringify({ ticket }),
            }),
            await new Promise<string>((resolve) => {
              const socket = new WebSocket(`${base.replace('http', 'ws')}/task/events?ticket=${ticket}`)
              socket.addEventListener('open', () => resolve('open'))
              socket.addEventListener('error', () => resolve('blocked'))
            }),
          ]
        },
        { base: started.service.baseUrl, ticket: data.ticket, key: account.apiKey },
      )
      expect(outcomes).toEqual(['blocked', 'blocked', 'blocked', 'opaque', 'blocked'])
      const login = { method: 'POST', headers: { 'content-type': 'application/json' } }
      const signIn = () =>
        api(account).send<{ api_key: string }>(routes.pageLogin.path, {
          ...login,
          body: JSON.stringify({ ticket: data.ticket }),
        })
      expect((await signIn()).data.api_key, 'the ticket is unused').toBe(account.apiKey)
      expect((await signIn()).code, 'it works once').toBe(6502)
    })

    test('a name that resolves to this machine reaches nothing', async () => {
      const base = `http://${reboundHost}:${new URL(started.service.baseUrl).port}`
      const context = await started.browser.newContext()
      onTestFinished(() => context.close())
      const page = await context.newPage()
      for (const path of ['/', '/health', '/docs', '/page/main.js']) {
        const response = await page.goto(base + path)
        expect([path, response?.status()]).toEqual([path, 401])
      }
    })

    test('stored HTML, subtitles and JSON never run with the origin of the service', async () => {
      const script = `<script>document.title = 'ran'; parent.postMessage(sessionStorage.length, '*')</script>`
      const { page } = await openPage(started.browser, account)
      for (const [name, content] of [
        ['attack.html', script],
        ['attack.srt', `1\n00:00:01,000 --> 00:00:02,000\n${script}\n`],
        ['attack.txt', `<html>${script}`],
        ['attack.json', `{"a":"${script.replaceAll('"', "'")}"}`],
      ] as const) {
        const { data: file } = await api(account).upload(name, content)
        const link = await api(account).send<{ url: string }>(`/base/file/${file.file_id}/link`, {
          method: 'POST',
        })
        const download = page.waitForEvent('download')
        await page.goto(new URL(link.data.url, started.service.baseUrl).href).catch(() => undefined)
        expect((await download).suggestedFilename()).toBe(name)
        expect(await page.title(), 'the page is still shown').toMatch(/Reelwright$/)
      }
    })

    test('a link that leaves the page sends no Referer, and the ticket leaves the address', async () => {
      const { url, referers } = await startAttacker('<p>other</p>')
      const { data } = await api(account).send<{ ticket: string }>(routes.pageTicket.path, { method: 'POST' })
      const { page } = await openPage(
        started.browser,
        { baseUrl: started.service.baseUrl },
        { view: `ticket=${data.ticket}` },
      )
      await page.getByRole('heading', { name: 'Tasks' }).waitFor()
      await page.evaluate(`
      const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(url)} })
      document.body.append(link)
      link.click()`)
      await page.waitForURL(url)
      expect(referers[0]).toBeUndefined()
      await page.goBack()
      await page.getByRole('heading', { name: 'Tasks' }).waitFor()
      expect(page.url()).not.toContain(data.ticket)
    })
  })
