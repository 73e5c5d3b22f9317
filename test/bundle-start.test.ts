import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { scratchFolder } from './engines/ffmpeg/generate-media.ts'
import { buildBundle } from './pack/bundle.ts'
import { connectBy, endService } from './pack/connect.ts'

const folder = await scratchFolder()

/** Replaces placeholders like a desktop client: the bundle's folder, the user's settings, otherwise nothing. */
function expandPlaceholders(text: string, chosen: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{(?:(__dirname)|user_config\.(\w+))\}/g, (_, own?: string, setting = '') =>
    own ? folder : (chosen[String(setting)] ?? ''),
  )
}

it('the bundle for desktop clients starts as its manifest declares, with the declared tools, in the chosen folder', async () => {
  const { files, manifest } = await buildBundle(folder)
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), bytes)
  }
  const { command, args, env } = manifest.server.mcp_config
  const chosen = { workspace: join(folder, 'media') }
  const client = await connectBy({
    // A desktop client includes its own Node.
    command: command === 'node' ? process.execPath : command,
    args: args.map((text) => expandPlaceholders(text, chosen)),
    env: {
      ...Object.fromEntries(
        Object.entries(env).map(([name, text]) => [name, expandPlaceholders(text, chosen)]),
      ),
      REELWRIGHT_DATA_DIR: join(folder, 'data'),
    },
  })
  onTestFinished(async () => {
    await client.close()
    await endService(join(folder, 'data'))
  })
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(manifest.tools.map(({ name }) => name))
  const status = await client.callTool({ name: 'service_status' })
  expect(status.structuredContent).toMatchObject({ reachable: true, workspace: join(folder, 'media') })
})
