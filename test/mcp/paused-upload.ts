import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '../../src/client/client.ts'
import { workspaceDelivery } from '../../src/mcp/workspace-delivery.ts'
import { openSession } from '../../src/mcp/session.ts'
import { videoSplitScreen } from '../../tools/video-split-screen/contract.ts'
import { startContractServer } from './contract-server.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Opens a session whose uploads wait until `gate` is resolved. `args`: arguments that upload a workspace file. */
export async function openSessionWithPausedUpload({ confirmAbove }: { confirmAbove?: number } = {}) {
  const service = await startContractServer()
  const folder = await temporaryFolder()
  const workspace = join(folder.path, 'work')
  await mkdir(workspace)
  await writeFile(join(workspace, 'a.mp4'), 'aaaa')
  const session = openSession({
    version: '0',
    operations: [videoSplitScreen],
    connect: () => Promise.resolve(createClient(service)),
    delivery: workspaceDelivery({ allowedFolders: [workspace], defaultFolder: workspace }),
    confirmAbove,
  })
  const gate = Promise.withResolvers<void>()
  service.uploadGate = gate.promise
  return {
    ...{ service, session, workspace, gate },
    args: { clips: [{ file_id: 'a.mp4' }, { file_id: 'a.mp4' }] },
    async [Symbol.asyncDispose]() {
      gate.resolve()
      await session[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
