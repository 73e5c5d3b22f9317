import { once } from 'node:events'
import { expect, test } from 'vitest'
import type { Service } from '../../src/tasks/service.ts'
import { api } from '../service/api.ts'
import { connectEventSocket } from './event-client.ts'
import { onOneDatabase } from './on-databases.ts'
import { openConnection } from './raw-http.ts'
import { startSecondApp } from './second-app.ts'
import { withServerSocket } from './server-sockets.ts'

/** A service whose queries are recorded, and whose results wait for a gate once it is set. */
function observed(service: Service) {
  const queries: string[] = []
  const changed = new EventTarget()
  let gate: Promise<void> | undefined
  const db = service.db.withPlugin({
    transformQuery({ node }) {
      queries.push(JSON.stringify(node))
      changed.dispatchEvent(new Event('query'))
      return node
    },
    async transformResult({ result }) {
      await gate
      return result
    },
  })
  return {
    service: { ...service, db },
    queries,
    hold() {
      const opened = Promise.withResolvers<void>()
      gate = opened.promise
      return opened.resolve
    },
    async waitForQuery(condition: (query: string) => boolean) {
      const first = queries.length
      while (!queries.slice(first).some(condition)) await once(changed, 'query')
    },
  }
}

onOneDatabase((service) => {
  test('a client that disconnects while its key is checked leaves nothing behind', async () => {
    const [account, bystander] = [await service().account(1), await service().account(1)]
    const { data: file } = await api(account).upload('a.txt', 'some text')
    const { service: slow, queries, hold, waitForQuery } = observed(service().running.service)
    const { baseUrl, app } = await startSecondApp(slow, { timeouts: { keyCheckMs: 20 } })
    const [line, serverSide] = await withServerSocket(() => openConnection(baseUrl))
    const release = hold()
    const checking = waitForQuery((query) => query.includes('api_keys'))
    line.socket.write(
      `GET /base/file/${file.file_id}/download HTTP/1.1\r\nHost: localhost\r\n` +
        `Authorization: ${account.apiKey}\r\n\r\n`,
    )
    await checking
    line.socket.destroy()
    if (!serverSide.closed) await once(serverSide, 'close')
    const handling = waitForQuery((query) => query.includes('"files"'))
    release()
    await handling
    expect(app.activeTransfers()).toBe(0)
    // Its key is not checked any more, unlike that of an open event socket.
    using client = await connectEventSocket({ ...bystander, baseUrl })
    const isKeyCheck = (query: string) => query.includes(bystander.keyId)
    await waitForQuery(isKeyCheck)
    expect(client.socket.readyState).toBe(1)
    expect(queries.findLast(isKeyCheck)).not.toContain(account.keyId)
  })
})
