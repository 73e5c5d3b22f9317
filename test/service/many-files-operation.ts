import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { id } from '../../src/contract/fields.ts'
import { fileRef } from '../../src/contract/file.ts'
import { operation, type OperationModule, type RunContext } from '../../src/contract/operation.ts'

/** A test operation with results in fields of their own and in a list, one that was not created, and notes. */
const manyFiles = operation({
  name: 'test_many_files',
  title: 'Test many files',
  description: 'Copies a file several times.',
  toolset: 'files',
  input: z.object({ file_id: fileRef({ kinds: ['video'], describe: 'File to copy' }) }),
  output: z.object({
    output_file_id: id,
    output_file_download_url: z.string(),
    midi_file_id: id,
    midi_download_url: z.string(),
    subtitle_file_id: z.string(),
    subtitle_file_download_url: z.string(),
    source_file_id: id,
    files: z.array(z.object({ file_id: id, download_url: z.string() })),
    notes: z.array(z.string()),
  }),
  price: { unit: 'item', credits: 1, of: 'file' },
  examples: [
    { title: 'One', input: { file_id: 'a.mp4' } },
    { title: 'Two', input: { file_id: 'b.mp4' } },
  ],
})

async function run({ file_id }: z.output<typeof manyFiles.input>, context: RunContext) {
  const keep = async (name: string) => {
    const path = join(context.scratch, name)
    await copyFile(context.files.get(file_id).path, path)
    return context.keep({ path, name })
  }
  const { file_id: project, download_url } = await keep('project.xml')
  const [output, midi] = [await keep('output.mp4'), await keep('notes.mid')]
  return {
    ...{ output_file_id: output.file_id, output_file_download_url: output.download_url },
    ...{ midi_file_id: midi.file_id, midi_download_url: midi.download_url },
    ...{ subtitle_file_id: '', subtitle_file_download_url: '', source_file_id: file_id },
    files: [{ file_id: project, download_url }],
    notes: ['The first <b>remark</b>.', 'Another remark.'],
  }
}

export const manyFilesModule: OperationModule<typeof manyFiles> = {
  operation: manyFiles,
  requirements: async () => ({ requirements: () => [] }),
  plan: async () => ({ plan: () => ({ credits: 1, seconds: 1 }) }),
  run: async () => ({ run }),
}
