// The official glTF validator over every file in a folder: `node validate.mjs FOLDER`.
//
// NAME.glb or NAME.gltf may have a NAME.input beside it with the path of the file it was made from: errors that the
// input has as well, in the same place, are not ours. Anything else fails, with the file and the error named.
import { createRequire } from "node:module";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";

// By require, because import does not look in NODE_PATH.
const validator = createRequire(import.meta.url)("gltf-validator");
const ERROR = 0;

async function errorsOf(path) {
  const folder = dirname(path);
  const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), {
    uri: path,
    maxIssues: 0,
    writeTimestamp: false,
    externalResourceFunction: async (uri) =>
      new Uint8Array(readFileSync(join(folder, decodeURIComponent(uri)))),
  });
  return report.issues.messages
    .filter((issue) => issue.severity === ERROR)
    .map((issue) => `${issue.code} at ${issue.pointer ?? issue.offset ?? "?"}: ${issue.message}`);
}

const folder = process.argv[2];
if (!folder || !existsSync(folder)) {
  console.error(`error: no folder ${folder ?? "given"}; run the tests first`);
  process.exit(2);
}
const files = readdirSync(folder).filter((name) => [".glb", ".gltf", ".vrm"].includes(extname(name))).sort();
let failed = 0;
for (const name of files) {
  const path = join(folder, name);
  const inputNote = join(folder, `${name.slice(0, -extname(name).length)}.input`);
  try {
    const ours = await errorsOf(path);
    const before = existsSync(inputNote) ? await errorsOf(readFileSync(inputNote, "utf8").trim()) : [];
    const fresh = ours.filter((error) => !before.includes(error));
    if (fresh.length > 0) {
      failed += 1;
      console.error(`${name}: ${fresh.length} errors that are ours`);
      fresh.slice(0, 5).forEach((error) => console.error(`    ${error}`));
    }
  } catch (fault) {
    failed += 1;
    console.error(`${name}: ${fault}`);
  }
}
console.log(`${files.length} files, ${failed} with errors of ours`);
process.exit(failed > 0 || files.length === 0 ? 1 : 0);
