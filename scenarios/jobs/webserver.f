# A web server: every thread reads ten pages whole and appends to a shared log.
set $threads=100
define fileset name=pages,path=/export/www,size=16k,entries=1000,dirwidth=20,prealloc=100,readonly
define file name=log,path=/export/log,size=1m,prealloc
define process name=httpd,instances=1
{
  thread name=worker,memsize=10m,instances=$threads
  {
    flowop openfile name=page,filesetname=pages,fd=1,iters=10
    flowop readwholefile name=send,fd=1,iosize=1m,iters=10
    flowop closefile name=sent,fd=1
    flowop appendfilerand name=line,filesetname=log,iosize=16k,fd=2
  }
}
run 1
