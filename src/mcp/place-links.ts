import { MediaError } from '../contract/errors.ts'
import { createFileLink, type ResolveServiceAddress } from './file-links.ts'
import type { CompletedTask, FileDelivery } from './place.ts'
import { describeError } from './reply.ts'
import { findResultFiles } from './result-files.ts'
import type { LinkedFile, Session } from './session.ts'
import type { DeliveryState } from './next-step.ts'
import { toolsWithLinks, withoutPaths } from './tools/linked-tools.ts'

/** The client works elsewhere: files are named by id, uploaded to the service itself, and downloaded by signed links. */
export function linkDelivery(address: ResolveServiceAddress): FileDelivery {
  return {
    instructions:
      'A media studio. Files are named by file_id: upload_file tells how to upload one. Long work answers with a ' +
      'task and goes on by itself: follow next_step, usually get_task. Results come as links to download.',
    promptNote:
      'Files are not on this machine: where this speaks of paths, use the file_id of an upload (upload_file tells how), and give results as links.',
    adaptSchema: withoutPaths,
    adaptTools: (all) => toolsWithLinks(all, address),
    async folders() {
      throw new MediaError(6016, 'This server is not on your machine: it takes no paths', {
        hint: 'Upload the file as upload_file tells, and give its file_id.',
      })
    },
    hasFile: async () => false,
    statusFields: async () => ({ service_address: await address() }),
    deliver: (session, done, call) => linkResults(session, { ...done, address }, call.signal),
  }
}

async function linkResults(
  session: Session,
  { view, address }: CompletedTask & { readonly address: ResolveServiceAddress },
  signal: AbortSignal,
): Promise<DeliveryState> {
  const files = findResultFiles(view.output_result ?? {})
  try {
    const linked = await Promise.all(
      files.map(async (file): Promise<LinkedFile> => {
        const link = await createFileLink(session, { file_id: file.file_id, address }, signal)
        return { ...file, ...link }
      }),
    )
    return { linked }
  } catch (error) {
    // The task is done and paid; that its files cannot be linked, or not yet, must not hide it.
    if (signal.aborted) return { underWay: 0 }
    if (error instanceof MediaError) return { unlinked: describeError(error) }
    throw error
  }
}
