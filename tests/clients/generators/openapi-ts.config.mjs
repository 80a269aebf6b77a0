export default { output: { path: "hey-api", importFileExtension: ".js" } };
