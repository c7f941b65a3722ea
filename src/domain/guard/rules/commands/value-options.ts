/** Options of programs that take the next word as their value; without them, a value would look like a subcommand. */
export const VALUE_OPTIONS: Readonly<Record<string, string>> = {
  npm: "-w --workspace -C --prefix --tag --registry --access --otp --loglevel --userconfig",
  pnpm: "-F --filter -C --dir --tag --registry --access --otp",
  yarn: "--cwd --tag --registry --access --otp --new-version",
  cargo:
    "-p --package --manifest-path --target --registry --index --token -Z --config --color -F --features --target-dir -j --jobs",
  gh: "-R --repo -t --title -b --body -F --body-file -H --hostname --hostname -X --method -f --field --raw-field -q --jq -T --template --json -L --limit -n --notes -B --base",
  glab: "-R --repo -t --title -d --description",
  docker:
    "-c --context -H --host -l --log-level --config -f --filter --file -p --project-name --profile --project-directory --env-file",
  podman: "-c --connection --url --log-level -f --filter --file",
  "docker-compose": "-f --file -p --project-name --profile --project-directory --env-file",
  kubectl:
    "-n --namespace --context --cluster --kubeconfig -l --selector -f --filename -k --kustomize -o --output --user --token -s --server --as --field-selector --grace-period --timeout",
  oc: "-n --namespace --context --kubeconfig -l --selector -f --filename -o --output",
  helm: "-n --namespace --kube-context --kubeconfig -f --values --set --version --timeout",
  aws: "--profile --region --output --query --endpoint-url --ca-bundle --color --cli-input-json",
  gcloud: "--project --account --configuration --region --zone --format --filter --impersonate-service-account --verbosity",
  gsutil: "-o -h -u -i",
  az: "-g --resource-group -n --name -o --output --subscription --query",
  terraform: "-var -var-file -target",
  tofu: "-var -var-file -target",
  terragrunt: "--terragrunt-working-dir --working-dir -var -var-file",
  pulumi: "-s --stack -C --cwd -c --config --color",
  "redis-cli": "-h -p -s -a -u -n -r -i -d -x -X --user --pass -D --cert --key --cacert",
  mysqladmin: "-u --user -h --host -P --port -S --socket",
  poetry: "-C --directory -P --project -r --repository -u --username -p --password",
  uv: "--directory --project --index --publish-url -t --token -u --username -p --password",
  mvn: "-f --file -pl --projects -P --activate-profiles -s --settings -T --threads",
  dotnet: "-s --source -k --api-key",
  vault: "-address -namespace -format -field -mount",
  op: "--account --vault --format",
};
