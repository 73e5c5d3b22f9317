import { readConfig } from '../config/config.ts'
import { packageVersion } from '../platform/environment.ts'
import type { Command, CommandCall } from './command.ts'
import { serviceAddress } from './service-connection.ts'

export const page: Command = {
  summary: 'print an address that opens the web page of the service, signed in; valid once, for a minute',
  run: printPageAddress,
}

async function printPageAddress({ values, io }: CommandCall): Promise<void> {
  const { environment } = io
  const [{ createClient }, { routes }, config, version] = await Promise.all([
    import('../client/client.ts'),
    import('../contract/routes.ts'),
    readConfig({ dataDir: values['data-dir'], environment }),
    packageVersion(),
  ])
  const address = await serviceAddress({ config, version, environment })
  const client = createClient(address)
  try {
    const { ticket } = await client.call(routes.pageTicket)
    io.stdout.write(`${address.baseUrl.replace(/\/$/, '')}/#ticket=${ticket}\n`)
  } finally {
    await client.close()
  }
}
